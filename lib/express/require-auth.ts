import type { IncomingMessage, ServerResponse } from "node:http"
import type { Awaitable } from "../base/awaitable.js"
import type { User } from "../base/types.js"
import { asError, ConfigurationError } from "../errors/errors.js"
import { errorProps } from "../pages/build-props.js"
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
import { readAuth } from "./read-auth.js"
import type { AuthLocals, RequestContext } from "./request-context.js"
import { signInAddress } from "./sign-in-address.js"

/** The options of `requireAuth`. */
export interface RequireAuthOptions<Req = NodeRequest> {
  /** Where a page is redirected without a session, with `callbackUrl` unless it is "/". @default the sign-in page */
  redirectTo?: string
  /** Decides whether the user may pass. Every result other than `true` gives status 403. */
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

/** A 401 response must state how to authenticate (RFC 9110 §11.6.1): here by a cookie. */
const CHALLENGE = 'Cookie realm="latchkey"'

/** Sends an error as problem details (RFC 9457). */
function sendProblem(res: NodeResponse, status: 401 | 403, detail: string): void {
  const title = status === 401 ? "Unauthorized" : "Forbidden"
  res.statusCode = status
  res.setHeader("Content-Type", "application/problem+json")
  res.setHeader("X-Content-Type-Options", "nosniff")
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", CHALLENGE)
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
  readonly code: "AccessDenied" | "SessionRequired"
  /** The page's link to sign in, if it is not the sign-in page itself. */
  readonly signInUrl?: string
}

function sendPage(req: NodeRequest, res: NodeResponse, context: RequestContext, { code, ...over }: ErrorPage): void {
  const { runtime } = context
  const headers = new Headers({ "Accept-Language": req.headers["accept-language"] ?? "" })
  const pageContext = { ...context.pageContext, cspNonce: readCspNonce(req, res), headers }
  const { props, status } = errorProps(code, pageContext, runtime)
  const page = runtime.pages.render("error", { ...props, ...over })
  res.statusCode = status
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", CHALLENGE)
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

async function guard(
  req: NodeRequest,
  res: NodeResponse,
  { redirectTo, authorize }: RequireAuthOptions,
): Promise<boolean> {
  const { context, auth } = await readAuth(req, "requireAuth")
  if (auth && (!authorize || (await authorize(auth, req)) === true)) {
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

const guardWith =
  (options: RequireAuthOptions): Middleware =>
  (req, res, next) => {
    guard(req, res, options).then(
      (mayPass) => mayPass && next(),
      (error: unknown) => next(asError(error)),
    )
  }

const guardWithDefaults = guardWith({})

/**
 * Middleware that lets only signed-in users pass. Use it directly, or call it with options.
 *
 * Without a session, a page is redirected to the sign-in page with `callbackUrl`, a posted form gets a page with status
 * 401 and a link to sign in, and a script gets status 401 with `application/problem+json`. If `authorize` does not
 * return true, the status is 403. Otherwise `req.auth` is set, and the response is `Cache-Control: private, no-store`
 * unless the application sets its own.
 *
 * @throws ConfigurationError for invalid options. AuthError, passed to `next`, if the middleware is missing, or if the
 * guard protects the page that it redirects to
 * @example
 * app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
 * app.use("/admin", requireAuth({ authorize: ({ user }) => user.role === "admin" }))
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
