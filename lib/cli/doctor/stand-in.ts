/**
 * What an application meets in place of the world while it is examined: it believes that it listens, and may not end
 * the process.
 *
 * @module
 */
import cluster from "node:cluster"
import { Server as HttpServer } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { type AddressInfo, Server, Socket } from "node:net"

interface Moved {
  readonly server: Server
  /** The port that the application asked for; undefined for any, or for no port. */
  readonly askedPort: number | undefined
}

/** A server of the application for plain HTTP. */
export interface Listening {
  /** Where it can be asked. */
  readonly origin: string
  /** The port that the application takes it to listen at. */
  readonly askedPort: number | undefined
}

export interface World {
  /** In the order in which they began to listen. */
  readonly listening: () => readonly Listening[]
}

function portIn([first]: readonly unknown[]): number | undefined {
  const port: unknown = typeof first === "object" && first !== null ? Reflect.get(first, "port") : first
  return Number.isInteger(Number(port)) && Number(port) > 0 ? Number(port) : undefined
}

const { listen, address } = Server.prototype

/** Where a server really listens. */
function portOf(server: Server): number | undefined {
  const found: AddressInfo | string | null = Reflect.apply(address, server, [])
  return typeof found === "object" ? found?.port : undefined
}

/**
 * Servers listen on a port of this machine that nobody knows: the application may be running beside. They say the port
 * that was asked for, for addresses are made of it.
 */
function moveServers(): Moved[] {
  const moved: Moved[] = []
  Server.prototype.listen = function listenElsewhere(this: Server, ...args: unknown[]) {
    moved.push({ server: this, askedPort: portIn(args) })
    // Exclusive: a worker would ask the primary for its port, and there is none.
    const told = args.find((arg) => typeof arg === "function")
    return Reflect.apply(listen, this, [{ port: 0, host: "127.0.0.1", exclusive: true }, ...(told ? [told] : [])])
  }
  Server.prototype.address = function addressAsAsked(this: Server) {
    const found: AddressInfo | string | null = Reflect.apply(address, this, [])
    const port = moved.find(({ server }) => server === this)?.askedPort
    return port !== undefined && typeof found === "object" && found ? { ...found, port } : found
  }
  return moved
}

/** A cluster's primary has no application of its own, and its workers would listen for real. */
function becomeWorker(): void {
  Object.assign(cluster, { isPrimary: false, isMaster: false, isWorker: true })
  cluster.fork = () => {
    throw new Error("this file starts the workers of a cluster: name the one that they run")
  }
  syncBuiltinESMExports()
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/

/**
 * Connections to a port that the application asked for reach its server where it listens. What is sent names the asked
 * port, as it would: servers that guard against rebinding of names answer to their own alone.
 */
function moveConnections(moved: readonly Moved[], runningPort: number | undefined): void {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function connectElsewhere(this: Socket, ...args: unknown[]) {
    // Normalised, as `net.connect` hands them on, the options are the first of a list.
    const options: unknown = [args[0]].flat()[0]
    const { port, host = "localhost" } = Object(options)
    const isMeant = LOOPBACK.test(host) && Number(port) !== runningPort
    const found = isMeant && moved.find(({ askedPort }) => askedPort === Number(port))
    if (found && portOf(found.server)) Object.assign(Object(options), { port: portOf(found.server), host: "127.0.0.1" })
    return Reflect.apply(connect, this, args)
  }
}

/**
 * Takes the application's way to the world, before it is loaded.
 *
 * @param runningPort where the application runs for real, and is to be asked
 */
export function standIn(onExit: () => void, runningPort: number | undefined): World {
  const moved = moveServers()
  becomeWorker()
  moveConnections(moved, runningPort)
  process.exit = (): never => {
    onExit()
    // Whoever ends the process expects that nothing runs after it.
    throw new Error("the application ended the process")
  }
  return {
    listening: () =>
      moved
        .filter(({ server }) => server instanceof HttpServer && portOf(server) !== undefined)
        .map(({ server, askedPort }) => ({ origin: `http://127.0.0.1:${portOf(server)}`, askedPort })),
  }
}
