import { once } from "node:events"
import type { IncomingMessage, Server } from "node:http"
import { Server as TlsServer } from "node:https"

export interface Listening {
  /** `http://127.0.0.1:<port>`, or `https:` for a TLS server. */
  origin: string
  /** Closes all connections. Can be called twice. */
  close(): Promise<void>
}

/** Starts a server on a free port of this machine. */
export async function listen(server: Server | TlsServer): Promise<Listening> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // An unclosed server of a failed test must not keep the process running.
  server.unref()
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  const scheme = server instanceof TlsServer ? "https" : "http"
  return { origin: `${scheme}://127.0.0.1:${address.port}`, close: () => close(server) }
}

async function close(server: Server | TlsServer): Promise<void> {
  if (!server.listening) return
  const closed = once(server, "close")
  server.close()
  server.closeAllConnections()
  await closed
}

/** A request's body as text. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
