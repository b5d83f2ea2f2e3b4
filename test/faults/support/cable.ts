import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/**
 * How a server is out of reach: "refused", as when it has ended and its machine says so, or "silent", as when the
 * machine itself is gone: connections open, and nothing comes back.
 */
export type Outage = "refused" | "silent"

/** The way to a server, which can be cut. */
export interface Cable {
  /** An address of the server, by this way. */
  address(url: string): string
  cut(outage: Outage): Promise<void>
  /** As it was; what was connected while it was cut, or before, stays dead. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** Lays a cable to the server at an address. */
export async function layCable(to: string): Promise<Cable> {
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
    async cut(outage) {
      if (outage === "refused") return closeAll(server, sockets)
      isSilent = true
      for (const socket of sockets) socket.unpipe().removeAllListeners("data").resume()
    },
    async mend() {
      isSilent = false
      if (!server.listening) await open(server, at)
    },
    close: () => closeAll(server, sockets),
  }
}

async function open(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  // A server that listens on a port has an address with one.
  return (server.address() as AddressInfo).port
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = server.listening ? once(server, "close") : undefined
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}
