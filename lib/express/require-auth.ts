import type { IncomingMessage, ServerResponse } from "node:http"
import type { Awaitable } from "../base/awaitable.js"
import { omitUndefined } from "../base/merge.js"
import type { User } from "../base/types.js"
import { asError, ConfigurationError } from "../errors/errors.js"
import { errorProps } from "../pages/build-props.js"
import { COOKIE_CHALLENGE } from "../sessions/challenge.js"
import { parseMaxAge, type RequiredAuthentication } from "../sessions/required-authentication.js"
import { guardProblems } from "./check-guard.js"
import { readCspNonce } from "./csp-nonce.js"
import { keepPrivate } from "./keep-private.js"
import {
  fullTarget,
  type Middleware,
  type Next,
  type NodeRequest,
  type NodeResponse,
  type RequestAuth,
} from "./node.js"
import { findMissingAccess, providerPage, type RequiredAccess } from "./provider-access.js"
import { readAuth } from "./read-auth.js"
import type { AuthLocals, RequestContext } from "./request-context.js"
import { signInAddress } from "./sign-in-address.js"
import { findMissingAuthentication } from "./step-up.js"

/** The options of `requireAuth`. */
export interface RequireAuthOptions<Req = NodeRequest> {
  /**
   * The URL to which a page request without a session is redirected. The parameter `callbackUrl` is added, unless
   * `redirectTo` is "/". @default the sign-in page
   */
  redirectTo?: string
  /** The maximum age of the user's last authentication: "30s", "10m", "1h", or a number of seconds. */
  freshWithin?: string | number
  /** 2 if the user must have used two factors. */
  factors?: 2
  /** The authentication context class that a provider with `trustAuthenticationContext` must have stated. */
  acr?: string
  /** The authentication methods (RFC 8176), all of which the user must have used: `["hwk"]`. */
  amr?: readonly string[]
  /** The provider whose access token the route needs. A user without such a token has to sign in at this provider. */
  provider?: string
  /** The scopes that the token must have, separated by spaces. Scopes that were granted before are requested again. */
  scope?: string
  /**
   * Returns true if the user may pass; for any other result the response has status 403. It is called before the age
   * and the methods of the authentication are checked.
   */
  authorize?: (auth: RequestAuth, req: Req) => Awaitable<boolean>
}

/**
 * The type of `res.locals` behind `requireAuth`. Express infers it for the following handlers of the route, and the
 * type of `req.auth` depends on it. Extend it if your handlers declare the type of `res.locals`.
 *
 * @example
 * interface TenantLocals extends AuthenticatedLocals { tenant: string }
 * app.get("/tenant", requireAuth, (req, res: Response<unknown, TenantLocals>) => res.json(res.locals.tenant))
 */
export interface AuthenticatedLocals {
  // The same index signature as in `Record<string, any>`, the default type of `res.locals` in Express.
  // biome-ignore lint/suspicious/noExplicitAny: a handler may set any value
  [name: string]: any
  /** The same object as in all views, but `user` is never undefined. */
  auth: AuthLocals & { readonly user: User }
}

/**
 * The type of the response in the handlers behind `requireAuth`. `Express.Locals` is part of it, because the compiler
 * otherwise does not infer `AuthenticatedLocals`.
 */
export type AuthenticatedResponse = ServerResponse & { locals: AuthenticatedLocals & Express.Locals }

/**
 * The middleware that `requireAuth({ … })` returns. Its second signature sets the type of `req.auth` in the following
 * handlers.
 */
export type AuthGuard = Middleware & ((req: IncomingMessage, res: AuthenticatedResponse, next: Next) => void)

const isGetOrHead = ({ method }: NodeRequest): boolean => method === "GET" || method === "HEAD"

/**
 * True if the response will be shown as a page, because the browser opens a URL or submits a form. Without
 * `Sec-Fetch-Mode`, the headers `Accept` and `X-Requested-With` decide.
 */
function isNavigation(req: NodeRequest): boolean {
  if (!isGetOrHead(req) && req.method !== "POST") return false
  const mode = req.headers["sec-fetch-mode"]
  if (mode) return mode === "navigate"
  return req.headers["x-requested-with"] === undefined && (req.headers.accept ?? "").includes("text/html")
}

/** Sends an error as problem details in JSON (RFC 9457). */
function sendProblem(res: NodeResponse, status: 401 | 403, detail: string, challenge = COOKIE_CHALLENGE): void {
  const title = status === 401 ? "Unauthorized" : "Forbidden"
  res.statusCode = status
  res.setHeader("Content-Type", "application/problem+json")
  res.setHeader("X-Content-Type-Options", "nosniff")
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", challenge)
  res.end(JSON.stringify({ type: "about:blank", title, status, detail }))
}

/**
 * Returns the path of the page that contains the submitted form, as return URL; "/" if the `Referer` header does not
 * name a page of this site. The URL of the POST request can't be the return URL, because a GET request for it may fail.
 */
function findFormPage({ headers }: NodeRequest, context: RequestContext): string {
  const { referer } = headers
  if (!referer || !URL.canParse(referer)) return "/"
  const { origin, pathname, search } = new URL(referer)
  return origin === context.publicAddress.origin ? pathname + search : "/"
}

function sendRedirect(req: NodeRequest, res: NodeResponse, location: string): void {
  res.statusCode = 302
  res.setHeader("Location", location)
  keepPrivate(res)
  res.appendHeader("Vary", "Cookie")
  res.end(req.method === "HEAD" ? undefined : "")
}

interface ErrorPage {
  readonly code: "AccessDenied" | "ConfirmationRequired" | "SessionRequired"
  /** The id of the heading's text. @default the heading of the code */
  readonly heading?: string
  /** The target of the page's link to sign in. @default the sign-in page */
  readonly signInUrl?: string
  readonly challenge?: string
}

function sendPage(
  req: NodeRequest,
  res: NodeResponse,
  context: RequestContext,
  { code, heading = `error.${code}.heading`, challenge = COOKIE_CHALLENGE, ...otherProps }: ErrorPage,
): void {
  const { runtime } = context
  const headers = new Headers({ "Accept-Language": req.headers["accept-language"] ?? "" })
  const pageContext = { ...context.publicAddress, cspNonce: readCspNonce(req, res), headers }
  const { props, status } = errorProps(code, pageContext, runtime)
  const page = runtime.pages.render("error", { ...props, heading: props.t(heading), ...otherProps })
  res.statusCode = status
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", challenge)
  const { Vary: vary, ...otherHeaders } = page.headers
  for (const [name, value] of Object.entries(otherHeaders)) res.setHeader(name, value)
  // Appended, because the application may have set `Vary` too.
  if (vary) res.appendHeader("Vary", vary)
  res.end(req.method === "HEAD" ? undefined : page.html)
}

/**
 * Sets `Cache-Control: private, no-store` unless the application has set this header; the application can also replace
 * it later. Without the header, the browser's back button would show guarded pages after a sign-out.
 */
function setDefaultCacheControl(res: NodeResponse): void {
  if (!res.headersSent && !res.hasHeader("Cache-Control")) res.setHeader("Cache-Control", "private, no-store")
}

/**
 * Returns true if the user has granted access to the provider's API. Otherwise responds and returns false. A page
 * request is redirected to the provider or to the sign-in page. If the user was just asked for this access, the error
 * page is sent instead.
 */
async function checkAccess(
  req: NodeRequest,
  res: NodeResponse,
  context: RequestContext,
  access: RequiredAccess,
): Promise<boolean> {
  const isPage = isGetOrHead(req) && isNavigation(req)
  const target = isPage ? context.runtime.config.proxyPrefix + fullTarget(req) : findFormPage(req, context)
  const missing = await findMissingAccess(access, context)
  if (!missing || res.headersSent) return !missing
  if (isNavigation(req) && missing.wasJustAsked) sendPage(req, res, context, { code: "AccessDenied" })
  else if (isPage) sendRedirect(req, res, await missing.prepareRedirect(target))
  else if (isNavigation(req)) {
    const signInUrl = providerPage(access.provider, target, context)
    // The session has not ended, so the page has another heading.
    sendPage(req, res, context, { code: "SessionRequired", heading: "error.signIn", signInUrl })
  } else sendProblem(res, 403, `Sign in with ${access.provider} first: ${missing.reason}.`)
  return false
}

/**
 * Returns true if the user's authentication is recent and strong enough. Otherwise responds and returns false. A page
 * request is redirected to the page on which the user re-authenticates.
 */
async function checkAuthentication(
  req: NodeRequest,
  res: NodeResponse,
  context: RequestContext,
  required: RequiredAuthentication,
): Promise<boolean> {
  const missing = await findMissingAuthentication(required, context)
  if (!missing || res.headersSent) return !missing
  const { challenge, reason } = missing
  if (!isNavigation(req)) sendProblem(res, 401, reason, challenge)
  else if (isGetOrHead(req))
    sendRedirect(req, res, missing.createUrl(context.runtime.config.proxyPrefix + fullTarget(req)))
  else {
    const signInUrl = missing.createUrl(findFormPage(req, context))
    sendPage(req, res, context, { code: "ConfirmationRequired", signInUrl, challenge })
  }
  return false
}

/** The parsed options. */
interface ParsedOptions extends Pick<RequireAuthOptions, "redirectTo" | "authorize" | "provider" | "scope"> {
  /** The required authentication; undefined if every session suffices. */
  readonly required: RequiredAuthentication | undefined
}

function parseOptions({ freshWithin, factors, acr, amr, ...otherOptions }: RequireAuthOptions): ParsedOptions {
  const maxAgeSeconds = freshWithin === undefined ? undefined : parseMaxAge(freshWithin)
  const required = omitUndefined({ maxAgeSeconds, factors, acr, amr: amr && [...amr] })
  return { ...otherOptions, required: Object.keys(required).length > 0 ? required : undefined }
}

/** Returns true if the request may pass; otherwise responds and returns false. */
async function checkRequest(
  req: NodeRequest,
  res: NodeResponse,
  { redirectTo, authorize, required, provider, scope }: ParsedOptions,
): Promise<boolean> {
  const { context, auth } = await readAuth(req, "requireAuth")
  if (auth && (!authorize || (await authorize(auth, req)) === true)) {
    if (required && !(await checkAuthentication(req, res, context, required))) return false
    if (provider !== undefined && !(await checkAccess(req, res, context, { provider, scope }))) return false
    setDefaultCacheControl(res)
    return true
  }
  // The application's own timeout may already have responded.
  if (res.headersSent) return false
  if (!isNavigation(req)) sendProblem(res, auth ? 403 : 401, auth ? "You may not see this." : "Sign in first.")
  else if (auth) sendPage(req, res, context, { code: "AccessDenied" })
  else if (isGetOrHead(req))
    sendRedirect(req, res, signInAddress(context, context.runtime.config.proxyPrefix + fullTarget(req), redirectTo))
  else {
    const signInUrl = signInAddress(context, findFormPage(req, context), redirectTo)
    sendPage(req, res, context, { code: "SessionRequired", signInUrl })
  }
  return false
}

function createGuard(options: RequireAuthOptions): Middleware {
  const parsed = parseOptions(options)
  return (req, res, next) => {
    checkRequest(req, res, parsed).then(
      (mayPass) => mayPass && next(),
      (error: unknown) => next(asError(error)),
    )
  }
}

const guardWithDefaults = createGuard({})

/**
 * Middleware that lets only signed-in users pass. Use it directly, or call it with options to create the middleware.
 *
 * Without a session, a page request is redirected to the sign-in page, with `callbackUrl`. A submitted form gets a page
 * with status 401 and a link to sign in. A request of a script gets status 401 with `application/problem+json`. If
 * `authorize` does not return true, the status is 403.
 *
 * With `freshWithin`, `factors`, `acr` or `amr`, a user whose authentication is too old or too weak has to
 * re-authenticate. A page request is redirected to the reauthentication page. A submitted form gets a page with status
 * 401 and a link to the reauthentication page. A request of a script gets status 401 with the challenge of RFC 9470.
 *
 * With `provider`, a page request of a user who has not granted access to the provider's API is redirected to the
 * provider or to the sign-in page.
 *
 * If the request passes, `req.auth` is set, and the response has `Cache-Control: private, no-store` unless the
 * application sets this header.
 *
 * @throws ConfigurationError if an option is invalid. Other errors are passed to `next`: an AuthError if the middleware
 * is missing, or if the guard also protects the page to which it redirects, and the errors of `authorize`, of the
 * adapter and of the store
 * @example
 * app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
 * app.use("/admin", requireAuth({ authorize: ({ user }) => user.role === "admin" }))
 * app.post("/transfer", requireAuth({ freshWithin: "10m" }), (req, res) => res.redirect("/done"))
 */
export function requireAuth(options?: RequireAuthOptions): AuthGuard
export function requireAuth(req: IncomingMessage, res: ServerResponse, next: Next): void
export function requireAuth(req: IncomingMessage, res: AuthenticatedResponse, next: Next): void
export function requireAuth(
  reqOrOptions: NodeRequest | RequireAuthOptions = {},
  res?: NodeResponse,
  next?: Next,
): Middleware | void {
  if (res && next) return guardWithDefaults(reqOrOptions as NodeRequest, res, next)
  const problems = guardProblems(reqOrOptions)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return createGuard(reqOrOptions as RequireAuthOptions)
}
