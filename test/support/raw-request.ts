import { once } from "node:events"
import { request as connect, type OutgoingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import type { RunningApp, StageName } from "./apps.js"

export interface RawRequest {
  /** As it stands in the request line; no browser would leave it so. */
  path: string
  method?: string
  /** A list is sent as a header for each. */
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request as no browser would: odd paths, headers twice, any method. */
export async function rawRequest(address: string, { body, ...request }: RawRequest): Promise<RawAnswer> {
  const outgoing = connect(address, { ...request, agent: false })
  outgoing.end(body)
  const [incoming] = await once(outgoing, "response")
  const headers = new Headers()
  for (let i = 0; i < incoming.rawHeaders.length; i += 2)
    headers.append(incoming.rawHeaders[i], incoming.rawHeaders[i + 1])
  return { status: incoming.statusCode, headers, text: await text(incoming) }
}

/** The same on each stage: `Auth()` gets a `Request`, whose class has read the address as browsers do. */
export async function askRaw(app: RunningApp, stage: StageName, request: RawRequest): Promise<RawAnswer> {
  if (stage !== "Auth()") return rawRequest(app.origin, request)
  const { path, method = "GET", headers = {} } = request
  const flat = Object.entries(headers).map(([name, value]): [string, string] => [name, [value].flat().join(", ")])
  const page = await app.browser().request(path, { method, headers: Object.fromEntries(flat) })
  return { status: page.status, headers: page.headers, text: await page.text() }
}
