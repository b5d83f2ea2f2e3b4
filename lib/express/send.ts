import { isNoStore, JSON_HEADERS, NO_CACHE, OPENER_POLICY, type WrittenReply } from "../http/response.js"
import { keepPrivate } from "./keep-private.js"
import type { NodeRequest, NodeResponse } from "./node.js"

/** Answers to bodies that were not read to their end. */
const UNREAD = new Set([408, 413, 415])

/** Sends a reply without losing what others have set on this answer: cookies, and what it varies by. */
export function send(
  { status, headers, cookies, text }: WrittenReply,
  { httpVersionMajor }: NodeRequest,
  res: NodeResponse,
): void {
  // A time limit of the application's has answered already.
  if (res.headersSent) return
  const vary = headers.get("vary")
  headers.delete("vary")
  if (isNoStore(headers)) keepPrivate(res)
  // The application's own policy counts, as helmet sets it.
  if (res.hasHeader(OPENER_POLICY)) headers.delete(OPENER_POLICY)
  res.statusCode = status
  headers.forEach((value, name) => {
    res.setHeader(name, value)
  })
  if (vary !== null) res.appendHeader("Vary", vary)
  for (const cookie of cookies) res.appendHeader("Set-Cookie", cookie)
  // The rest of a body that nobody reads would stand before the next request of this connection.
  if (UNREAD.has(status) && httpVersionMajor < 2) res.setHeader("Connection", "close")
  res.end(text ?? undefined)
}

/** Adds cookies to the application's answer, which no cache may store then. */
export function addCookies(res: NodeResponse | undefined, setCookies: readonly string[]): void {
  if (!res || res.headersSent) return
  keepPrivate(res)
  res.appendHeader("Set-Cookie", setCookies)
}

/** Sends text as JSON, where there is no reply: the request was not understood. */
export function sendPlain(res: NodeResponse, status: number, text: string): void {
  keepPrivate(res)
  res.statusCode = status
  for (const [name, value] of [...Object.entries(NO_CACHE), ...JSON_HEADERS]) res.setHeader(name, value)
  res.end(JSON.stringify(text))
}
