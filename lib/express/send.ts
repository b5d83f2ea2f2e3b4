import type { Http2ServerResponse } from "node:http2"
import { isNoStore, OPENER_POLICY } from "../http/response.js"
import { keepPrivate } from "./keep-private.js"
import type { NodeRequest, NodeResponse } from "./node.js"
import { loadServerPackage } from "./server-package.js"

/** The statuses of responses that are sent before the request's body was read completely. */
const UNREAD_BODY_STATUSES = new Set([408, 413, 415])

/** Headers that are appended, so that the values which other code has set on the response are kept. */
const APPENDED_HEADERS = new Set(["set-cookie", "vary"])

const toBytes = (chunk: string | Uint8Array): Uint8Array => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)

/** Makes the client stop sending a request body that was not read completely, once the response is sent. */
function stopRequestBody(res: NodeResponse, httpVersionMajor: number): void {
  // HTTP/1: close the connection, because the rest of the body would be parsed as the next request.
  if (httpVersionMajor < 2) return void res.setHeader("Connection", "close")
  // HTTP/2: reset the stream (RFC 9113 §8.1). Otherwise it stays open until the client has sent the whole body.
  const { stream } = res as unknown as Http2ServerResponse
  stream.once("finish", () => {
    stream.close()
    // Discards the data that has arrived. Unread data would keep the stream open, and with it the connection.
    stream.resume()
  })
}

/** Sends a web response. Cookies and `Vary` headers that other code has set on the Node.js response are kept. */
export async function send(response: Response, { httpVersionMajor }: NodeRequest, res: NodeResponse): Promise<void> {
  // The application's own timeout may already have responded.
  if (res.headersSent) return
  const { status, headers } = response
  // The application's own policy, for example set by helmet, takes precedence.
  if (res.hasHeader(OPENER_POLICY)) headers.delete(OPENER_POLICY)
  if (UNREAD_BODY_STATUSES.has(status)) stopRequestBody(res, httpVersionMajor)
  const chunks: (string | Uint8Array)[] = []
  const target = {
    setHeader: (name: string, value: string | string[]) =>
      APPENDED_HEADERS.has(name) ? res.appendHeader(name, value) : res.setHeader(name, value),
    // Sets only the status. HTTP/2 has no reason phrase, and for HTTP/1 Node.js sets it.
    writeHead: (code: number) => {
      res.statusCode = code
    },
    write: (chunk: string | Uint8Array) => chunks.push(chunk) > 0,
    // Writes the whole body in one call, so that Node.js sets Content-Length.
    end: () => {
      // Called after all headers are set, because `keepPrivate` makes setting headers slower.
      if (isNoStore(headers)) keepPrivate(res)
      res.end(chunks.length > 1 ? Buffer.concat(chunks.map(toBytes)) : chunks[0])
    },
  }
  await loadServerPackage().sendNodeResponse(response, target, undefined, false)
}

/** Adds cookies to the application's response, and forbids caches to store the response. */
export function addCookies(res: NodeResponse | undefined, setCookies: readonly string[]): void {
  if (!res || res.headersSent) return
  keepPrivate(res)
  res.appendHeader("Set-Cookie", setCookies)
}
