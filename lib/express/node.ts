import type { IncomingMessage, ServerResponse } from "node:http"
import type { PendingSignIn, Session, User } from "../base/types.js"
import type { AccessTokenOptions, AuthorizedFetch } from "../provider-access.js"

/** The session and the user of a request: `req.auth`. */
export interface RequestAuth {
  /** As `req.getSession()` returns it. */
  readonly session: Session
  /** The session's user. Empty if a `session` callback leaves the user out. */
  readonly user: User
  /**
   * The session's id, as `listSessions` returns it. Undefined only for a session of Auth.js if there is no store.
   */
  readonly sessionId: string | undefined
  /**
   * Names the user in the store: the adapter's user id; without an adapter the provider and the account's id. Undefined
   * only for a session from an older version or from Auth.js, without an adapter.
   */
  readonly owner: string | undefined
}

/** A request of `node:http`, with what Express, Connect and body parsers may have added. */
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
 * A request behind `requireAuth`, for handlers that are defined outside the route. `Req` is the request's own type, for
 * example `Request<{ id: string }>` of Express.
 *
 * @example
 * function showOrder(req: AuthenticatedRequest<Request<{ id: string }>>, res: Response) {
 *   res.json({ order: req.params.id, of: req.auth.user.name })
 * }
 * app.get("/orders/:id", requireAuth, showOrder) // without requireAuth this line does not compile
 */
export type AuthenticatedRequest<Req = NodeRequest> = Omit<Req, "auth"> & { readonly auth: RequestAuth }

/** A response of `node:http`, with what Express may have added. */
export type NodeResponse = ServerResponse & { locals?: Record<string, unknown> }

/** Passes the request to the next handler, or an error to the error handler. */
export type Next = (error?: unknown) => void

/**
 * A middleware function for Express 4 and 5, and for Connect. Its types are those of `node:http`, so that the handlers
 * after it keep the types of their route.
 */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** Scheme and host of a request line in absolute form (RFC 9112 §3.2.2). The `Host` header has the host too. */
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

const withoutAuthority = (target: string): string => {
  if (target.startsWith("/")) return target
  const rest = target.replace(AUTHORITY, "")
  return rest.startsWith("/") || rest === target ? rest : `/${rest}`
}

/** The path of a request target, without the query. */
export function readPath(url = "/"): string {
  const target = withoutAuthority(url)
  const end = target.search(/[?#]/)
  return (end < 0 ? target : target.slice(0, end)) || "/"
}

/** The path and query of the original request. Routers remove their mount path only from `req.url`. */
export const fullTarget = (req: NodeRequest): string => withoutAuthority(req.originalUrl ?? req.url ?? "/")

/** The path of the original request. Routers remove their mount path only from `req.url`. */
export const fullPath = (req: NodeRequest): string => readPath(req.originalUrl ?? req.url)
