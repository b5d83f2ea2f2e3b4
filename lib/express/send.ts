import { isNoStore, JSON_HEADERS, NO_CACHE, OPENER_POLICY, type WrittenReply } from "../http/response.js"
import { keepPrivate } from "./keep-private.js"
import type { NodeRequest, NodeResponse } from "./node.js"

/** The statuses of responses to requests whose body was not read completely. */
const UNREAD_BODY = new Set([408, 413, 415])

/** Sends a reply. Keeps the cookies and the `Vary` header that other code has set on the response. */
export function send(
  { status, headers, cookies, text }: WrittenReply,
  { httpVersionMajor }: NodeRequest,
  res: NodeResponse,
): void {
  // The application's own timeout may already have responded.
  if (res.headersSent) return
  const vary = headers.get("vary")
  headers.delete("vary")
  if (isNoStore(headers)) keepPrivate(res)
  // The application's own policy, for example set by helmet, takes precedence.
  if (res.hasHeader(OPENER_POLICY)) headers.delete(OPENER_POLICY)
  res.statusCode = status
  headers.forEach((value, name) => {
    res.setHeader(name, value)
  })
  if (vary !== null) res.appendHeader("Vary", vary)
  for (const cookie of cookies) res.appendHeader("Set-Cookie", cookie)
  // Close the connection: unread body bytes would otherwise be parsed as the next request.
  if (UNREAD_BODY.has(status) && httpVersionMajor < 2) res.setHeader("Connection", "close")
  res.end(text ?? undefined)
}

/** Adds cookies to the application's response, and forbids caches to store it. */
export function addCookies(res: NodeResponse | undefined, setCookies: readonly string[]): void {
  if (!res || res.headersSent) return
  keepPrivate(res)
  res.appendHeader("Set-Cookie", setCookies)
}

/** Sends text as JSON in response to a request that could not be parsed. */
export function sendPlain(res: NodeResponse, status: number, text: string): void {
  keepPrivate(res)
  res.statusCode = status
  for (const [name, value] of [...Object.entries(NO_CACHE), ...JSON_HEADERS]) res.setHeader(name, value)
  res.end(JSON.stringify(text))
}
