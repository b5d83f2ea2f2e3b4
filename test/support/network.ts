import { once } from "node:events"
import { request as connect, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"

/** Sends a request and returns the response. */
export type Send = (request: Request) => Promise<Response>

const BODILESS = [204, 205, 304]

/**
 * Sends a request unchanged, to its own origin or to another address like a proxy. Not with `fetch`, which replaces
 * `Host` and `Sec-Fetch-Mode`.
 */
export async function overNetwork(request: Request, target = new URL(request.url).origin): Promise<Response> {
  const url = new URL(request.url)
  const body = Buffer.from(await request.arrayBuffer())
  const headers = { host: url.host, ...Object.fromEntries(request.headers) }
  const { hostname, port } = new URL(target)
  const outgoing = connect({
    ...{ hostname, port, path: url.pathname + url.search },
    method: request.method,
    headers: request.body ? { ...headers, "content-length": String(body.length) } : headers,
    signal: request.signal,
    // No keep-alive, so that a server can close immediately.
    agent: false,
  })
  // Reading the body reports errors that occur after the headers.
  outgoing.on("error", () => {}).end(body)
  const [incoming] = await once(outgoing, "response")
  return toResponse(incoming)
}

/** Reads a response of `node:http`. */
export async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const headers = new Headers()
  for (let i = 0; i < incoming.rawHeaders.length; i += 2)
    headers.append(incoming.rawHeaders[i] ?? "", incoming.rawHeaders[i + 1] ?? "")
  const body = await buffer(incoming)
  const status = incoming.statusCode ?? 0
  return new Response(BODILESS.includes(status) ? null : body, { status, headers })
}
