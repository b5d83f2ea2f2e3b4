import type { IncomingMessage, ServerResponse } from "node:http"
import type { Awaitable } from "../base/awaitable.js"
import { defined } from "../base/merge.js"
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
  /** Where a page is redirected without a session, with `callbackUrl` unless it is "/". @default the sign-in page */
  redirectTo?: string
  /** The maximum age of the user's last authentication: "10m", "1h", "30s", or seconds. */
  freshWithin?: string | number
  /** 2 if the user must have used two factors. */
  factors?: 2
  /** The authentication context class that a trusted provider must have stated. */
  acr?: string
  /** The authentication methods (RFC 8176) that the user must have used, all of them: `["hwk"]`. */
  amr?: readonly string[]
  /** The provider of which the route needs an access token: a user without one is sent there. */
  provider?: string
  /** The scopes that the token must have, separated by spaces. Scopes that were granted before are kept. */
  scope?: string
  /** Decides whether the user may pass, before the authentication is checked. Other results than `true` give status 403. */
  authorize?: (auth: RequestAuth, req: Req) => Awaitable<boolean>
}

/**
 * The type of `res.locals` behind `requireAuth`. Express uses it for the other handlers of the route, and the type of
 * `req.auth` follows from it. Extend it if your handlers declare the type of their `res.locals`.
 *
 * @example
 * interface TenantLocals extends AuthenticatedLocals { tenant: string }
 * app.get("/tenant", requireAuth, (req, res: Response<unknown, TenantLocals>) => res.json(res.locals.tenant))
 */
export interface AuthenticatedLocals {
  // As in `Record<string, any>`, the default type of `res.locals` in Express.
  // biome-ignore lint/suspicious/noExplicitAny: a handler may set any value
  [name: string]: any
  /** As in all views, but `user` is never undefined. */
  auth: AuthLocals & { readonly user: User }
}

/**
 * The response that types the handlers behind `requireAuth`. The compiler infers `AuthenticatedLocals` only if
 * `Express.Locals` is part of the type, as in the types of Express.
 */
export type AuthenticatedResponse = ServerResponse & { locals: AuthenticatedLocals & Express.Locals }

/** What `requireAuth({ … })` returns. The second signature types `req.auth` in the following handlers. */
export type AuthGuard = Middleware & ((req: IncomingMessage, res: AuthenticatedResponse, next: Next) => void)

const isRead = ({ method }: NodeRequest): boolean => method === "GET" || method === "HEAD"

/** True if a browser opens a page or posts a form. Without `Sec-Fetch-Mode`, the `Accept` header decides. */
function isNavigation(req: NodeRequest): boolean {
  if (!isRead(req) && req.method !== "POST") return false
  const mode = req.headers["sec-fetch-mode"]
  if (mode) return mode === "navigate"
  return req.headers["x-requested-with"] === undefined && (req.headers.accept ?? "").includes("text/html")
}

/** Sends an error as problem details (RFC 9457). */
function sendProblem(res: NodeResponse, status: 401 | 403, detail: string, challenge = COOKIE_CHALLENGE): void {
  const title = status === 401 ? "Unauthorized" : "Forbidden"
  res.statusCode = status
  res.setHeader("Content-Type", "application/problem+json")
  res.setHeader("X-Content-Type-Options", "nosniff")
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", challenge)
  res.end(JSON.stringify({ type: "about:blank", title, status, detail }))
}

/** The page with the posted form, as return URL: the URL that the form was posted to may have no page. */
function formPage({ headers }: NodeRequest, context: RequestContext): string {
  const { referer } = headers
  if (!referer || !URL.canParse(referer)) return "/"
  const { origin, pathname, search } = new URL(referer)
  return origin === context.pageContext.origin ? pathname + search : "/"
}

function sendToSignIn(req: NodeRequest, res: NodeResponse, location: string): void {
  res.statusCode = 302
  res.setHeader("Location", location)
  keepPrivate(res)
  res.appendHeader("Vary", "Cookie")
  res.end(req.method === "HEAD" ? undefined : "")
}

interface ErrorPage {
  readonly code: "AccessDenied" | "ConfirmationRequired" | "SessionRequired"
  /** The page's link to sign in, if it is not the sign-in page itself. */
  readonly signInUrl?: string
  readonly challenge?: string
}

function sendPage(
  req: NodeRequest,
  res: NodeResponse,
  context: RequestContext,
  { code, challenge = COOKIE_CHALLENGE, ...over }: ErrorPage,
): void {
  const { runtime } = context
  const headers = new Headers({ "Accept-Language": req.headers["accept-language"] ?? "" })
  const pageContext = { ...context.pageContext, cspNonce: readCspNonce(req, res), headers }
  const { props, status } = errorProps(code, pageContext, runtime)
  const page = runtime.pages.render("error", { ...props, ...over })
  res.statusCode = status
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", challenge)
  const { Vary: vary, ...others } = page.headers
  for (const [name, value] of Object.entries(others)) res.setHeader(name, value)
  // Append: the application's handlers may have set `Vary` too.
  if (vary) res.appendHeader("Vary", vary)
  res.end(req.method === "HEAD" ? undefined : page.html)
}

/**
 * Sets the default `Cache-Control` for guarded responses, which the application may replace. Without it, the back
 * button shows them after a sign-out.
 */
function keepOutOfCaches(res: NodeResponse): void {
  if (!res.headersSent && !res.hasHeader("Cache-Control")) res.setHeader("Cache-Control", "private, no-store")
}

/** Sends a user without access to the provider's API to the provider. Returns true if nothing is missing. */
async function hasAccess(
  req: NodeRequest,
  res: NodeResponse,
  context: RequestContext,
  access: RequiredAccess,
): Promise<boolean> {
  const isPage = isRead(req) && isNavigation(req)
  const target = isPage ? context.runtime.config.proxyPrefix + fullTarget(req) : formPage(req, context)
  const missing = await findMissingAccess(access, context)
  if (!missing || res.headersSent) return !missing
  if (isNavigation(req) && missing.wasJustAsked) sendPage(req, res, context, { code: "AccessDenied" })
  else if (isPage) sendToSignIn(req, res, await missing.createUrl(target))
  else if (isNavigation(req)) {
    const signInUrl = providerPage(access.provider, target, context)
    sendPage(req, res, context, { code: "SessionRequired", signInUrl })
  } else sendProblem(res, 403, `Sign in with ${access.provider} first: ${missing.reason}.`)
  return false
}

/** Asks a user to authenticate again if that was too long ago or is not sufficient. Returns true if it suffices. */
async function isAuthenticated(
  req: NodeRequest,
  res: NodeResponse,
  context: RequestContext,
  required: RequiredAuthentication,
): Promise<boolean> {
  const missing = await findMissingAuthentication(required, context)
  if (!missing || res.headersSent) return !missing
  const { challenge, reason } = missing
  if (!isNavigation(req)) sendProblem(res, 401, reason, challenge)
  else if (isRead(req)) sendToSignIn(req, res, missing.createUrl(context.runtime.config.proxyPrefix + fullTarget(req)))
  else {
    const signInUrl = missing.createUrl(formPage(req, context))
    sendPage(req, res, context, { code: "ConfirmationRequired", signInUrl, challenge })
  }
  return false
}

/** The options, with those for the authentication parsed. */
interface ReadyGuard extends Pick<RequireAuthOptions, "redirectTo" | "authorize" | "provider" | "scope"> {
  /** Undefined if every session suffices. */
  readonly required: RequiredAuthentication | undefined
}

function prepare({ freshWithin, factors, acr, amr, ...others }: RequireAuthOptions): ReadyGuard {
  const maxAgeSeconds = freshWithin === undefined ? undefined : parseMaxAge(freshWithin)
  const required = defined({ maxAgeSeconds, factors, acr, amr: amr && [...amr] })
  return { ...others, required: Object.keys(required).length > 0 ? required : undefined }
}

async function guard(
  req: NodeRequest,
  res: NodeResponse,
  { redirectTo, authorize, required, provider, scope }: ReadyGuard,
): Promise<boolean> {
  const { context, auth } = await readAuth(req, "requireAuth")
  if (auth && (!authorize || (await authorize(auth, req)) === true)) {
    if (required && !(await isAuthenticated(req, res, context, required))) return false
    if (provider !== undefined && !(await hasAccess(req, res, context, { provider, scope }))) return false
    keepOutOfCaches(res)
    return true
  }
  // The application's own timeout may already have responded.
  if (res.headersSent) return false
  if (!isNavigation(req)) sendProblem(res, auth ? 403 : 401, auth ? "You may not see this." : "Sign in first.")
  else if (auth) sendPage(req, res, context, { code: "AccessDenied" })
  else if (isRead(req))
    sendToSignIn(req, res, signInAddress(context, context.runtime.config.proxyPrefix + fullTarget(req), redirectTo))
  else {
    const signInUrl = signInAddress(context, formPage(req, context), redirectTo)
    sendPage(req, res, context, { code: "SessionRequired", signInUrl })
  }
  return false
}

function guardWith(options: RequireAuthOptions): Middleware {
  const ready = prepare(options)
  return (req, res, next) => {
    guard(req, res, ready).then(
      (mayPass) => mayPass && next(),
      (error: unknown) => next(asError(error)),
    )
  }
}

const guardWithDefaults = guardWith({})

/**
 * Middleware that lets only signed-in users pass. Use it directly, or call it with options.
 *
 * Without a session, a page is redirected to the sign-in page with `callbackUrl`, a posted form gets a page with status
 * 401 and a link to sign in, and a script gets status 401 with `application/problem+json`. If `authorize` does not
 * return true, the status is 403.
 *
 * With `freshWithin`, `factors`, `acr` or `amr`, a user whose authentication does not suffice confirms it on a page and
 * returns; a posted form gets a page with status 401, and a script gets status 401 with the challenge of RFC 9470.
 *
 * Otherwise `req.auth` is set, and the response is `Cache-Control: private, no-store`
 * unless the application sets its own.
 *
 * @throws ConfigurationError for invalid options. AuthError, passed to `next`, if the middleware is missing, or if the
 * guard protects the page that it redirects to
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
  return guardWith(reqOrOptions as RequireAuthOptions)
}
