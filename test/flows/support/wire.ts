import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { listen, readText } from "../../support/listen.js"
import { overNetwork } from "../../support/network.js"

/** The bytes that replace a response. `json` is the original body of the provider. */
export interface Bytes {
  readonly write: (json: string) => string | Buffer
  /** How the connection ends; "again" repeats the bytes endlessly. @default "end" */
  readonly ending?: "end" | "reset" | "again"
}

/** A proxy between an application and its provider. */
export interface Wire {
  readonly origin: string
  /** Replaces the responses; undefined forwards them unchanged. */
  bytes: Bytes | undefined
  close(): Promise<void>
}

/** A valid response with a body. */
export const answerWith = (body: string | Buffer, head = "content-type: application/json", status = "200 OK"): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`,
    ),
    Buffer.from(body),
  ])

async function forward(op: FaultyProvider, req: IncomingMessage): Promise<Response> {
  const { method = "GET", headers, url = "/" } = req
  const body = await readText(req)
  const sentHeaders = Object.entries(headers).flatMap(([name, value]): [string, string][] => [[name, String(value)]])
  return overNetwork(new Request(op.base + url, { method, headers: sentHeaders, ...(body && { body }) }))
}

function answer({ socket }: ServerResponse, { write, ending = "end" }: Bytes, json: string): void {
  if (!socket) return
  // The client may close the connection.
  socket.on("error", () => {})
  const bytes = write(json)
  const pour = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  if (ending === "again") pour()
  else socket.write(bytes)
  if (ending === "again") socket.on("drain", pour)
  else if (ending === "reset") setImmediate(() => socket.resetAndDestroy())
  else socket.end()
}

/** Starts a proxy that forwards requests to the provider. */
export async function startWire(op: FaultyProvider): Promise<Wire> {
  const server = createServer(async (req, res) => {
    const original = await forward(op, req)
    const json = await original.text()
    if (wire.bytes) return answer(res, wire.bytes, json)
    res.writeHead(original.status, Object.fromEntries(original.headers)).end(json)
  })
  const { origin, close } = await listen(server)
  const wire: Wire = { origin, bytes: undefined, close }
  return wire
}
