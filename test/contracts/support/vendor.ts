import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** The response of a path: a status with body and headers, a body with status 200, or none at all. */
export type Answer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { body: unknown }
  | "silence"

export interface Vendor {
  readonly origin: string
  readonly asked: readonly Asked[]
  /** Sets the responses by path; any other path gets a 404. */
  answer(routes: Readonly<Record<string, Answer>>): void
  close(): Promise<void>
}

function send(response: ServerResponse, answer: Answer | undefined): void {
  if (answer === "silence") return
  const { status, body, headers } = { status: answer ? 200 : 404, body: {}, headers: {}, ...answer }
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

/** A local server for a vendor's API. */
export async function startVendor(): Promise<Vendor> {
  const asked: Asked[] = []
  let routes: Readonly<Record<string, Answer>> = {}
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    asked.push({ method: request.method ?? "", path, headers: request.headers })
    send(response, routes[path.split("?")[0] ?? ""])
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next) {
      asked.length = 0
      routes = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
