import type { CookieChange, CookieSerializeOptions } from "../base/types.js"
import type { AuthCall } from "./call.js"
import { toOutgoing, toSetCookies } from "./cookies.js"
import type { Reply } from "./reply.js"

/** What `Auth` returns in `raw` mode instead of a `Response`. */
export interface ResponseInternal {
  /** The HTTP status. @default 200 */
  status?: number
  /** All headers except `Set-Cookie`. */
  headers?: Headers
  /** The HTML of a page, or a value to send as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, as in Auth.js
  body?: any
  /** The target of a redirect. */
  redirect?: string
  /** The cookies to set, in this order. */
  cookies?: { name: string; value: string; options: CookieSerializeOptions }[]
}

/** The default caching headers. They forbid storing responses, because responses contain tokens or set cookies. */
export const NO_CACHE = { "Cache-Control": "private, no-cache, no-store", Expires: "0", Pragma: "no-cache" } as const

/** The headers of JSON responses. `nosniff` stops browsers from guessing another type. */
export const JSON_HEADERS = [
  ["Content-Type", "application/json"],
  ["X-Content-Type-Options", "nosniff"],
] as const

/** True if the headers contain the default `Cache-Control`, which forbids all caches to store the response. */
export const isNoStore = (headers: Headers): boolean => headers.get("Cache-Control") === NO_CACHE["Cache-Control"]

/** The response header that can disconnect a page from the window that opened it. */
export const OPENER_POLICY = "Cross-Origin-Opener-Policy"

function createHeaders(reply: Reply, call: AuthCall): Headers {
  // The `Cache-Control` of a reply replaces the defaults, unless the reply sets cookies.
  const isCacheable = reply.headers?.["Cache-Control"] !== undefined && reply.cookies.length === 0
  const headers = new Headers(isCacheable ? reply.headers : { ...reply.headers, ...NO_CACHE })
  if (reply.location !== undefined) headers.set("Location", reply.location)
  // A page of this site may open the sign-in in a new window. The policy would disconnect the page from that window.
  if (call.headers.get("sec-fetch-site") === "same-origin") headers.delete(OPENER_POLICY)
  if (reply.type === "json") for (const [name, value] of JSON_HEADERS) headers.set(name, value)
  return headers
}

/** Returns the cookie changes of a reply, but none for HEAD, which must not change state (RFC 9110 §9.2.1). */
const listChanges = (reply: Reply, call: AuthCall): readonly CookieChange[] =>
  call.method === "HEAD" ? [] : reply.cookies

/** Converts a redirect to JSON with the target as `url`, for clients that request it. */
const asJson = (reply: Reply): Reply => ({ ...reply, status: 200, body: { url: reply.location ?? "" }, type: "json" })

/** Converts a reply to a web response, an instance of `ResponseClass`. */
export function toResponse(reply: Reply, call: AuthCall, ResponseClass = Response): Response {
  const { status, body, type } = reply.location !== undefined && call.wantsJson ? asJson(reply) : reply
  const text =
    body === undefined || call.method === "HEAD" ? null : type === "json" ? JSON.stringify(body) : String(body)
  const headers = createHeaders({ ...reply, ...(type && { type }) }, call)
  for (const cookie of toSetCookies(listChanges(reply, call), call.cookieSet)) headers.append("Set-Cookie", cookie)
  return new ResponseClass(text, { status, headers })
}

/** Converts a reply to the result of `Auth` in `raw` mode. */
export function toRaw(reply: Reply, call: AuthCall): ResponseInternal {
  return {
    status: reply.status,
    headers: createHeaders(reply, call),
    cookies: toOutgoing(listChanges(reply, call), call.cookieSet),
    ...(reply.body !== undefined && { body: reply.body }),
    ...(reply.location !== undefined && { redirect: reply.location }),
  }
}
