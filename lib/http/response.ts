import type { ResponseInternal } from "../types.js"
import type { AuthCall } from "./call.js"
import { type CookieChange, toOutgoing, toSetCookies } from "./cookies.js"
import type { Reply } from "./reply.js"

/** Nothing here is for a shared cache: it holds tokens, or sets cookies. */
export const NO_CACHE = { "Cache-Control": "private, no-cache, no-store", Expires: "0", Pragma: "no-cache" } as const

/** What is written as JSON is nothing else, whatever a browser may see in it. */
export const JSON_HEADERS = [
  ["Content-Type", "application/json"],
  ["X-Content-Type-Options", "nosniff"],
] as const

/** Do these headers forbid every cache to store the answer? */
export const isNoStore = (headers: Headers): boolean => headers.get("Cache-Control") === NO_CACHE["Cache-Control"]

/** Decides whether a window that opened this one keeps its reference to it. */
export const OPENER_POLICY = "Cross-Origin-Opener-Policy"

function headersOf(reply: Reply, call: AuthCall): Headers {
  // A reply with its own Cache-Control replaces these defaults, unless it sets cookies.
  const isCacheable = reply.headers?.["Cache-Control"] !== undefined && reply.cookies.length === 0
  const headers = new Headers(isCacheable ? reply.headers : { ...reply.headers, ...NO_CACHE })
  if (reply.location !== undefined) headers.set("Location", reply.location)
  // A page of this site that opens the sign-in in a window keeps its reference to that window.
  if (call.headers.get("sec-fetch-site") === "same-origin") headers.delete(OPENER_POLICY)
  if (reply.type === "json") for (const [name, value] of JSON_HEADERS) headers.set(name, value)
  return headers
}

/** A HEAD must change nothing (RFC 9110 §9.2.1). */
const changesOf = (reply: Reply, call: AuthCall): readonly CookieChange[] =>
  call.method === "HEAD" ? [] : reply.cookies

/** A redirect as JSON, for clients that asked for it: the address under `url`, everything else as it was. */
const asJson = (reply: Reply): Reply => ({ ...reply, status: 200, body: { url: reply.location ?? "" }, type: "json" })

/** A reply as it goes over the wire. */
export interface WrittenReply {
  readonly status: number
  /** All but the cookies. */
  readonly headers: Headers
  /** The text of each `Set-Cookie`. */
  readonly cookies: readonly string[]
  readonly text: string | null
}

/** Writes a reply: the one place where cookies get their names and headers their text. */
export function write(reply: Reply, call: AuthCall): WrittenReply {
  const { status, body, type } = reply.location !== undefined && call.wantsJson ? asJson(reply) : reply
  const text =
    body === undefined || call.method === "HEAD" ? null : type === "json" ? JSON.stringify(body) : String(body)
  const headers = headersOf({ ...reply, ...(type && { type }) }, call)
  return { status, headers, cookies: toSetCookies(changesOf(reply, call), call.cookieSet), text }
}

/** The reply as a web response. */
export function toResponse(reply: Reply, call: AuthCall): Response {
  const { status, headers, cookies, text } = write(reply, call)
  for (const cookie of cookies) headers.append("Set-Cookie", cookie)
  return new Response(text, { status, headers })
}

/** The reply as data, for `raw` mode. */
export function toRaw(reply: Reply, call: AuthCall): ResponseInternal {
  return {
    status: reply.status,
    headers: headersOf(reply, call),
    cookies: toOutgoing(changesOf(reply, call), call.cookieSet),
    ...(reply.body !== undefined && { body: reply.body }),
    ...(reply.location !== undefined && { redirect: reply.location }),
  }
}
