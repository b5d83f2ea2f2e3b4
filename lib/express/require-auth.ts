import type { IncomingMessage, ServerResponse } from "node:http"
import { asError, ConfigurationError } from "../errors.js"
import { errorProps } from "../pages/build-props.js"
import type { Awaitable, Session, User } from "../types.js"
import { guardProblems } from "./check-guard.js"
import { cspNonceOf } from "./csp-nonce.js"
import { keepPrivate } from "./keep-private.js"
import { fullTarget, type Middleware, type Next, type NodeRequest, type NodeResponse } from "./node.js"
import { readAuth } from "./read-auth.js"
import { signInAddress } from "./sign-in-address.js"
import type { Visit } from "./visit.js"

/** What `requireAuth({ … })` takes. */
export interface RequireAuthOptions<Req = NodeRequest> {
  /** Where pages are sent without a session, in place of the sign-in page; gets `callbackUrl` unless it is "/". */
  redirectTo?: string
  /** May this person come in? `false` answers 403. */
  authorize?: (auth: { session: Session; user: User }, req: Req) => Awaitable<boolean>
}

const isRead = ({ method }: NodeRequest): boolean => method === "GET" || method === "HEAD"

/** True if a browser opens a page or posts a form. Browsers without `Sec-Fetch-Mode` ask for HTML. */
function isNavigation(req: NodeRequest): boolean {
  if (!isRead(req) && req.method !== "POST") return false
  const mode = req.headers["sec-fetch-mode"]
  if (mode) return mode === "navigate"
  return req.headers["x-requested-with"] === undefined && (req.headers.accept ?? "").includes("text/html")
}

/** RFC 9110 §11.6.1: a 401 names how to authenticate; ours is by a cookie. */
const CHALLENGE = 'Cookie realm="latchkey"'

/** RFC 9457. */
function sendProblem(res: NodeResponse, status: 401 | 403, detail: string): void {
  const title = status === 401 ? "Unauthorized" : "Forbidden"
  res.statusCode = status
  res.setHeader("Content-Type", "application/problem+json")
  res.setHeader("X-Content-Type-Options", "nosniff")
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", CHALLENGE)
  res.end(JSON.stringify({ type: "about:blank", title, status, detail }))
}

/** The page whose form was posted, to come back to: the address that the form was posted to may show nothing. */
function pageOfForm({ headers }: NodeRequest, visit: Visit): string {
  const { referer } = headers
  if (!referer || !URL.canParse(referer)) return "/"
  const { origin, pathname, search } = new URL(referer)
  return origin === visit.place.origin ? pathname + search : "/"
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
  /** The page's link to sign in, where it is not the sign-in page's own address. */
  readonly signInUrl?: string
}

function sendPage(req: NodeRequest, res: NodeResponse, visit: Visit, { code, ...over }: ErrorPage): void {
  const { runtime } = visit
  const headers = new Headers({ "Accept-Language": req.headers["accept-language"] ?? "" })
  const place = { ...visit.place, cspNonce: cspNonceOf(req, res), headers }
  const { props, status } = errorProps(code, place, runtime)
  const page = runtime.pages.render("error", { ...props, ...over })
  res.statusCode = status
  keepPrivate(res)
  if (status === 401) res.setHeader("WWW-Authenticate", CHALLENGE)
  const { Vary: vary, ...others } = page.headers
  for (const [name, value] of Object.entries(others)) res.setHeader(name, value)
  // The application's own handlers may have said something there too.
  if (vary) res.appendHeader("Vary", vary)
  res.end(req.method === "HEAD" ? undefined : page.html)
}

/**
 * The default for guarded answers, which the application may overwrite: without it the back button shows them after a
 * sign-out.
 */
function keepOutOfCaches(res: NodeResponse): void {
  if (!res.headersSent && !res.hasHeader("Cache-Control")) res.setHeader("Cache-Control", "private, no-store")
}

async function guard(
  req: NodeRequest,
  res: NodeResponse,
  { redirectTo, authorize }: RequireAuthOptions,
): Promise<boolean> {
  const { visit, auth } = await readAuth(req, "requireAuth")
  if (auth && (!authorize || (await authorize(auth, req)) === true)) {
    keepOutOfCaches(res)
    return true
  }
  // A time limit of the application's has answered already.
  if (res.headersSent) return false
  if (!isNavigation(req)) sendProblem(res, auth ? 403 : 401, auth ? "You may not see this." : "Sign in first.")
  else if (auth) sendPage(req, res, visit, { code: "AccessDenied" })
  else if (isRead(req))
    sendToSignIn(req, res, signInAddress(visit, visit.runtime.config.proxyPrefix + fullTarget(req), redirectTo))
  else {
    const signInUrl = signInAddress(visit, pageOfForm(req, visit), redirectTo)
    sendPage(req, res, visit, { code: "SessionRequired", signInUrl })
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

const guardPlainly = guardWith({})

/**
 * Lets only signed-in people pass: as it is, or with options.
 *
 * Without a session a page is redirected to the sign-in page with `callbackUrl`, a posted form gets a page with status
 * 401 that leads there and back, and a script gets 401 `application/problem+json`. When `authorize` does not give true, 403, as a page or as a problem. After it
 * `req.auth.user` is there, and the answer is `Cache-Control: private, no-store` unless the application sets its own.
 *
 * @throws ConfigurationError when it is given something that is none of its options; AuthError to `next` when the
 * middleware is missing, or when it guards the page that it sends people to
 * @example
 * app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
 * app.use("/admin", requireAuth({ authorize: ({ user }) => user.role === "admin" }))
 */
export function requireAuth(options?: RequireAuthOptions): Middleware
export function requireAuth(req: IncomingMessage, res: ServerResponse, next: Next): void
export function requireAuth(
  reqOrOptions: NodeRequest | RequireAuthOptions = {},
  res?: NodeResponse,
  next?: Next,
): Middleware | void {
  if (res && next) return guardPlainly(reqOrOptions as NodeRequest, res, next)
  const problems = guardProblems(reqOrOptions)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return guardWith(reqOrOptions as RequireAuthOptions)
}
