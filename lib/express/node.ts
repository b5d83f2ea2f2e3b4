import type { IncomingMessage, ServerResponse } from "node:http"
import type { PendingSignIn, Session, User } from "../base/types.js"
import type { AccessTokenOptions, AuthorizedFetch } from "../provider-access.js"

/** The session and the user of a request: `req.auth`. */
export interface RequestAuth {
  /** The session, as `req.getSession()` returns it. */
  readonly session: Session
  /** The session's user. An empty object if a `session` callback has removed the user. */
  readonly user: User
  /** The session's id, as `listSessions` returns it. Undefined only for a session of Auth.js, without a store. */
  readonly sessionId: string | undefined
  /**
   * Identifies the user in the store: with an adapter the user's id; without an adapter
   * `<provider>:<providerAccountId>`, or for credentials the id from `authorize`. Undefined only without an adapter,
   * for a session of an older version or of Auth.js.
   */
  readonly owner: string | undefined
}

/** A request of `node:http`, with the members that Express, Connect, body parsers or this package may have added. */
export type NodeRequest = IncomingMessage & {
  originalUrl?: string | undefined
  baseUrl?: string | undefined
  protocol?: string | undefined
  ip?: string | undefined
  params?: unknown
  body?: unknown
  route?: unknown
  app?: { get(setting: string): unknown; readonly request?: unknown }
  res?: unknown
  getSession?: () => Promise<Session | null>
  pendingSignIn?: () => Promise<PendingSignIn | null>
  completeRequirement?: (name: string, data?: unknown) => Promise<{ redirectTo: string }>
  accessToken?: (provider: string, options?: AccessTokenOptions) => Promise<string>
  authorizedFetch?: (provider: string, options?: AccessTokenOptions) => AuthorizedFetch
  auth?: RequestAuth | undefined
}

/**
 * The type of a request behind `requireAuth`, for handlers that are defined outside the route. `Req` is the type of the
 * request without this package, for example `Request<{ id: string }>` of Express.
 *
 * @example
 * function showOrder(req: AuthenticatedRequest<Request<{ id: string }>>, res: Response) {
 *   res.json({ order: req.params.id, of: req.auth.user.name })
 * }
 * app.get("/orders/:id", requireAuth, showOrder) // without requireAuth this line does not compile
 */
export type AuthenticatedRequest<Req = NodeRequest> = Omit<Req, "auth"> & { readonly auth: RequestAuth }

/** A response of `node:http`, with the member that Express may have added. */
export type NodeResponse = ServerResponse & { locals?: Record<string, unknown> }

/** The function `next` of a middleware: passes the request to the next handler, or an error to the error handler. */
export type Next = (error?: unknown) => void

/**
 * A middleware function for Express 4 and 5, and for Connect. Its parameters have the types of `node:http`, so that the
 * following handlers keep the types of their route.
 */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** Matches the scheme and the host of a request target in absolute form (RFC 9112 §3.2.2). */
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

const withoutAuthority = (target: string): string => {
  if (target.startsWith("/")) return target
  const rest = target.replace(AUTHORITY, "")
  return rest.startsWith("/") || rest === target ? rest : `/${rest}`
}

/** Returns the path of a request target, without the query. */
export function readPath(url = "/"): string {
  const target = withoutAuthority(url)
  const end = target.search(/[?#]/)
  return (end < 0 ? target : target.slice(0, end)) || "/"
}

/** Returns the path and query of the original request. Routers remove their mount path from `req.url` only. */
export const fullTarget = (req: NodeRequest): string => withoutAuthority(req.originalUrl ?? req.url ?? "/")

/** Returns the path of the original request, without the query. Routers remove their mount path from `req.url` only. */
export const fullPath = (req: NodeRequest): string => readPath(req.originalUrl ?? req.url)
