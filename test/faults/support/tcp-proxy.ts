import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/**
 * How a server is unreachable. "refused": the machine rejects connections. "silent": connections open, but no data
 * returns, as when the machine has disappeared.
 */
export type Outage = "refused" | "silent"

/** A TCP proxy to a server, which can be interrupted. */
export interface TcpProxy {
  /** The server's URL with the proxy's host. */
  address(url: string): string
  interrupt(outage: Outage): Promise<void>
  /** Restores the proxy. Connections from before the interruption stay dead. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** Starts a proxy to the server at a URL. */
export async function startTcpProxy(to: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let isSilent = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    keep(near)
    if (isSilent) return void near.resume()
    const far = connect(Number(port), hostname)
    keep(far)
    near.pipe(far).pipe(near)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  const at = await open(server, 0)
  return {
    address: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${at}` }).href,
    async interrupt(outage) {
      if (outage === "refused") return closeAll(server, sockets)
      isSilent = true
      for (const socket of sockets) socket.unpipe().removeAllListeners("data").resume()
    },
    async restore() {
      isSilent = false
      if (!server.listening) await open(server, at)
    },
    close: () => closeAll(server, sockets),
  }
}

async function open(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  // The address of a server that listens on a port is an object.
  return (server.address() as AddressInfo).port
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = server.listening ? once(server, "close") : undefined
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}
