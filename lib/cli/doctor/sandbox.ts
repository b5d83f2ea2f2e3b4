/**
 * The sandbox for an application that the doctor loads. Servers listen on random ports, not on the requested
 * ones, and the application can't end the process.
 *
 * @module
 */
import cluster from "node:cluster"
import { Server as HttpServer } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { type AddressInfo, Server, Socket } from "node:net"

interface RedirectedServer {
  readonly server: Server
  /** The port that the application requested; undefined for any port, or for none. */
  readonly requestedPort: number | undefined
}

/** An HTTP server of the application. */
export interface ListeningServer {
  /** The origin at which it actually listens. */
  readonly origin: string
  /** The port that the application requested. */
  readonly requestedPort: number | undefined
}

export interface Sandbox {
  /** Returns the HTTP servers of the application, in the order in which they started to listen. */
  readonly listening: () => readonly ListeningServer[]
}

function readRequestedPort([first]: readonly unknown[]): number | undefined {
  const port: unknown = typeof first === "object" && first !== null ? Reflect.get(first, "port") : first
  return Number.isInteger(Number(port)) && Number(port) > 0 ? Number(port) : undefined
}

const { listen, address } = Server.prototype

/** Returns the port at which a server actually listens. */
function readPort(server: Server): number | undefined {
  const found: AddressInfo | string | null = Reflect.apply(address, server, [])
  return typeof found === "object" ? found?.port : undefined
}

/**
 * Makes servers listen on a random loopback port, because the application may also be running. `address()` returns the
 * requested port, because applications create URLs from it.
 */
function redirectServers(): RedirectedServer[] {
  const redirected: RedirectedServer[] = []
  Server.prototype.listen = function listenOnRandomPort(this: Server, ...args: unknown[]) {
    redirected.push({ server: this, requestedPort: readRequestedPort(args) })
    // Exclusive, because a cluster worker would request the port from a primary, which does not exist here.
    const callback = args.find((arg) => typeof arg === "function")
    return Reflect.apply(listen, this, [
      { port: 0, host: "127.0.0.1", exclusive: true },
      ...(callback ? [callback] : []),
    ])
  }
  Server.prototype.address = function addressWithRequestedPort(this: Server) {
    const found: AddressInfo | string | null = Reflect.apply(address, this, [])
    const port = redirected.find(({ server }) => server === this)?.requestedPort
    return port !== undefined && typeof found === "object" && found ? { ...found, port } : found
  }
  return redirected
}

/**
 * Makes this process look like a cluster worker. As a primary, it would run no application, and its workers would listen
 * on the requested ports.
 */
function pretendToBeWorker(): void {
  Object.assign(cluster, { isPrimary: false, isMaster: false, isWorker: true })
  cluster.fork = () => {
    throw new Error("this file starts the workers of a cluster: name the file that the workers run")
  }
  syncBuiltinESMExports()
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/

/**
 * Redirects connections to a requested port to the real port of the server. The `Host` header keeps the requested port,
 * because servers that guard against DNS rebinding accept only their own.
 */
function redirectConnections(redirected: readonly RedirectedServer[], runningPort: number | undefined): void {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function connectToRealPort(this: Socket, ...args: unknown[]) {
    // `net.connect` passes normalised arguments: a list whose first item is the options.
    const options: unknown = [args[0]].flat()[0]
    const { port, host = "localhost" } = Object(options)
    const isOwnServer = LOOPBACK.test(host) && Number(port) !== runningPort
    const found = isOwnServer && redirected.find(({ requestedPort }) => requestedPort === Number(port))
    if (found && readPort(found.server))
      Object.assign(Object(options), { port: readPort(found.server), host: "127.0.0.1" })
    return Reflect.apply(connect, this, args)
  }
}

/**
 * Installs the sandbox. Call it before the application is loaded.
 *
 * @param runningPort the port of the running application, to which connections are not redirected
 */
export function installSandbox(onExit: () => void, runningPort: number | undefined): Sandbox {
  const redirected = redirectServers()
  pretendToBeWorker()
  redirectConnections(redirected, runningPort)
  process.exit = (): never => {
    onExit()
    // Throw, because the caller expects that no code runs after `process.exit`.
    throw new Error("the application ended the process")
  }
  return {
    listening: () =>
      redirected
        .filter(({ server }) => server instanceof HttpServer && readPort(server) !== undefined)
        .map(({ server, requestedPort }) => ({ origin: `http://127.0.0.1:${readPort(server)}`, requestedPort })),
  }
}
