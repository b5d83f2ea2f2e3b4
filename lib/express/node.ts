import type { IncomingMessage, ServerResponse } from "node:http"
import type { Session, User } from "../types.js"

/** A request of `node:http`, with what Express, Connect and body parsers may have added. */
export type NodeRequest = IncomingMessage & {
  originalUrl?: string | undefined
  baseUrl?: string | undefined
  protocol?: string | undefined
  ip?: string | undefined
  params?: unknown
  body?: unknown
  route?: unknown
  app?: { get(setting: string): unknown }
  res?: unknown
  getSession?: () => Promise<Session | null>
  auth?: { readonly session: Session; readonly user: User }
}

/** A response of `node:http`, with what Express may have added. */
export type NodeResponse = ServerResponse & { locals?: Record<string, unknown> }

/** Passes the request on, or an error. */
export type Next = (error?: unknown) => void

/**
 * A function for `app.use`: of Express 4 and 5, and of Connect. It names no members of Express' own request, so that
 * handlers after it keep the types that their route gives them.
 */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** Of an address in full, as proxies are asked with (RFC 9112 §3.2.2): which host it is stands in `Host` as well. */
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

const withoutAuthority = (target: string): string => {
  if (target.startsWith("/")) return target
  const rest = target.replace(AUTHORITY, "")
  return rest.startsWith("/") || rest === target ? rest : `/${rest}`
}

/** The path of a URL as a request line has it. */
export function pathOf(url = "/"): string {
  const target = withoutAuthority(url)
  const end = target.search(/[?#]/)
  return (end < 0 ? target : target.slice(0, end)) || "/"
}

/** Path and query that the client asked for, whatever a router has cut off. */
export const fullTarget = (req: NodeRequest): string => withoutAuthority(req.originalUrl ?? req.url ?? "/")

/** The whole path that the client asked for, whatever a router has cut off. */
export const fullPath = (req: NodeRequest): string => pathOf(req.originalUrl ?? req.url)
