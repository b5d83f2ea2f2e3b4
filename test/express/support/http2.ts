/** Serves the applications of the tests over HTTP/2. */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  connect,
  createServer,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { until } from "../../support/wait.js"

interface Http2Response {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader
  readonly text: string
}

/** Serves over HTTP/2 until the tests of the file have ended. Returns a function that sends one request. */
export function http2Server(listener: (req: IncomingMessage, res: ServerResponse) => void) {
  // Node.js declares the types of the two HTTP versions separately; the members used here are the same.
  const server = createServer((req, res) =>
    listener(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  )
  const streams: ServerHttp2Stream[] = []
  server.on("stream", (stream) => streams.push(stream))
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"))
  afterAll(() => server.close())
  return async (headers: OutgoingHttpHeaders, body = ""): Promise<Http2Response> => {
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const request = client.request(headers)
    // A request without a body has already ended.
    if (!request.writableEnded) request.end(body)
    const [answered] = await once(request, "response")
    const answer = { headers: answered, text: await text(request) }
    // Also if the body was not read, the stream ends, and frees what has arrived.
    await until(() => streams.every((stream) => stream.destroyed), 2_000)
    client.destroy()
    return answer
  }
}
