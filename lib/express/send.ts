import { isNoStore, OPENER_POLICY } from "../http/response.js"
import { keepPrivate } from "./keep-private.js"
import type { NodeRequest, NodeResponse } from "./node.js"
import { loadServerPackage } from "./server-package.js"

/** The statuses of responses to requests whose body was not read completely. */
const UNREAD_BODY = new Set([408, 413, 415])

/** Headers that are added to those which other code has set on the response. */
const APPENDED = new Set(["set-cookie", "vary"])

/** Sends a web response. Keeps the cookies and the `Vary` header that other code has set on the Node response. */
export async function send(response: Response, { httpVersionMajor }: NodeRequest, res: NodeResponse): Promise<void> {
  // The application's own timeout may already have responded.
  if (res.headersSent) return
  const { status, headers } = response
  if (isNoStore(headers)) keepPrivate(res)
  // The application's own policy, for example set by helmet, takes precedence.
  if (res.hasHeader(OPENER_POLICY)) headers.delete(OPENER_POLICY)
  // Close the connection: unread body bytes would otherwise be parsed as the next request.
  if (UNREAD_BODY.has(status) && httpVersionMajor < 2) res.setHeader("Connection", "close")
  const chunks: Uint8Array[] = []
  const target = {
    setHeader: (name: string, value: string | string[]) =>
      APPENDED.has(name) ? res.appendHeader(name, value) : res.setHeader(name, value),
    // HTTP/2 has no reason phrase, and in HTTP/1 Node.js chooses it.
    writeHead: (code: number) => {
      res.statusCode = code
    },
    write: (chunk: Uint8Array) => chunks.push(chunk) > 0,
    // Written at once, so that Node.js sets Content-Length.
    end: () => res.end(chunks.length > 0 ? Buffer.concat(chunks) : undefined),
  }
  await loadServerPackage().sendNodeResponse(response, target, undefined, false)
}

/** Adds cookies to the application's response, and forbids caches to store it. */
export function addCookies(res: NodeResponse | undefined, setCookies: readonly string[]): void {
  if (!res || res.headersSent) return
  keepPrivate(res)
  res.appendHeader("Set-Cookie", setCookies)
}
