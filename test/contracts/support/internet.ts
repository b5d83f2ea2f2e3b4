/**
 * A local server that replaces all vendors' servers under their own URLs.
 *
 * @module
 */
import { createServer, type IncomingHttpHeaders } from "node:http"
import { listen, readText } from "../../support/listen.js"

/** A recorded call. */
export interface VendorCall {
  /** "GET https://api.example.com/me?fields=id" */
  readonly name: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface VendorAnswer {
  readonly body: unknown
  readonly status?: number
  readonly type?: string
}

export interface Internet {
  readonly calls: VendorCall[]
  /** Sends every request to the local server. */
  readonly fetch: typeof globalThis.fetch
  /** Sets the responses by call; any other call gets a 404. */
  answer(routes: Readonly<Record<string, VendorAnswer>>): void
  close(): Promise<void>
}

const ADDRESS = "x-vendor-address"

const toBody = (body: unknown) => (Buffer.isBuffer(body) || typeof body === "string" ? body : JSON.stringify(body))

export async function startInternet(): Promise<Internet> {
  const calls: VendorCall[] = []
  let routes: Readonly<Record<string, VendorAnswer>> = {}
  const server = createServer(async (request, response) => {
    const name = `${request.method} ${request.headers[ADDRESS]}`
    calls.push({ name, headers: request.headers, body: await readText(request) })
    const { status = 200, type = "application/json", body } = routes[name] ?? { status: 404, body: {} }
    response.writeHead(status, { "content-type": type }).end(toBody(body))
  })
  const { origin, close } = await listen(server)
  const realFetch = globalThis.fetch
  return {
    calls,
    fetch(input, init) {
      const request = new Request(input, init)
      const headers = new Headers(request.headers)
      headers.set(ADDRESS, request.url)
      return realFetch(origin, { ...init, method: request.method, headers })
    },
    answer(next) {
      calls.length = 0
      routes = next
    },
    close,
  }
}
