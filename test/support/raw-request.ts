import { once } from "node:events"
import { request as connect, type OutgoingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import type { RunningApp, StageName } from "./apps.js"

export interface RawRequest {
  /** Sent unchanged in the request line, unlike in browsers. */
  path: string
  method?: string
  /** A list is sent as several headers. */
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request that browsers cannot send: unusual paths, duplicate headers, any method. */
export async function rawRequest(address: string, { body, ...request }: RawRequest): Promise<RawResponse> {
  const outgoing = connect(address, { ...request, agent: false })
  outgoing.end(body)
  const [incoming] = await once(outgoing, "response")
  const headers = new Headers()
  for (let i = 0; i < incoming.rawHeaders.length; i += 2)
    headers.append(incoming.rawHeaders[i], incoming.rawHeaders[i + 1])
  return { status: incoming.statusCode, headers, text: await text(incoming) }
}

/** Sends a raw request on any stage. `Auth()` gets a `Request`, which normalizes the URL like browsers. */
export async function sendRaw(app: RunningApp, stage: StageName, request: RawRequest): Promise<RawResponse> {
  if (stage !== "Auth()") return rawRequest(app.origin, request)
  const { path, method = "GET", headers = {} } = request
  const flat = Object.entries(headers).map(([name, value]): [string, string] => [name, [value].flat().join(", ")])
  const page = await app.browser().request(path, { method, headers: Object.fromEntries(flat) })
  return { status: page.status, headers: page.headers, text: await page.text() }
}
