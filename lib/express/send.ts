import type { Http2ServerResponse } from "node:http2"
import { isNoStore, OPENER_POLICY } from "../http/response.js"
import { keepPrivate } from "./keep-private.js"
import type { NodeRequest, NodeResponse } from "./node.js"
import { loadServerPackage } from "./server-package.js"

/** The statuses of responses to requests whose body was not read completely. */
const UNREAD_BODY = new Set([408, 413, 415])

/** Headers that are added to those which other code has set on the response. */
const APPENDED = new Set(["set-cookie", "vary"])

const toBytes = (chunk: string | Uint8Array): Uint8Array => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)

/** Stops a body that was not read completely, after the response. */
function stopBody(res: NodeResponse, httpVersionMajor: number): void {
  // HTTP/1: close the connection, because the next bytes of the body would be parsed as the next request.
  if (httpVersionMajor < 2) return void res.setHeader("Connection", "close")
  // HTTP/2: reset the stream (RFC 9113 §8.1), because it would stay open until the client has sent the body.
  const { stream } = res as unknown as Http2ServerResponse
  stream.once("finish", () => {
    stream.close()
    // The data that has arrived would keep the stream, and so the connection.
    stream.resume()
  })
}

/** Sends a web response. Keeps the cookies and the `Vary` header that other code has set on the Node response. */
export async function send(response: Response, { httpVersionMajor }: NodeRequest, res: NodeResponse): Promise<void> {
  // The application's own timeout may already have responded.
  if (res.headersSent) return
  const { status, headers } = response
  // The application's own policy, for example set by helmet, takes precedence.
  if (res.hasHeader(OPENER_POLICY)) headers.delete(OPENER_POLICY)
  if (UNREAD_BODY.has(status)) stopBody(res, httpVersionMajor)
  const chunks: (string | Uint8Array)[] = []
  const target = {
    setHeader: (name: string, value: string | string[]) =>
      APPENDED.has(name) ? res.appendHeader(name, value) : res.setHeader(name, value),
    // HTTP/2 has no reason phrase, and in HTTP/1 Node.js chooses it.
    writeHead: (code: number) => {
      res.statusCode = code
    },
    write: (chunk: string | Uint8Array) => chunks.push(chunk) > 0,
    // Written at once, so that Node.js sets Content-Length.
    end: () => {
      // Only now, because it makes setting headers slower.
      if (isNoStore(headers)) keepPrivate(res)
      res.end(chunks.length > 1 ? Buffer.concat(chunks.map(toBytes)) : chunks[0])
    },
  }
  await loadServerPackage().sendNodeResponse(response, target, undefined, false)
}

/** Adds cookies to the application's response, and forbids caches to store it. */
export function addCookies(res: NodeResponse | undefined, setCookies: readonly string[]): void {
  if (!res || res.headersSent) return
  keepPrivate(res)
  res.appendHeader("Set-Cookie", setCookies)
}
