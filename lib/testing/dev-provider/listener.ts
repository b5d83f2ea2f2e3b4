import { once } from "node:events"
import type { Server } from "node:http"
import { asError } from "../../errors/errors.js"

// Loopback only, because any visitor of the provider can sign in as any user.
const HOST = "127.0.0.1"

function toStartError(error: unknown, port: number): Error {
  const failure = asError(error)
  const code: unknown = Reflect.get(failure, "code")
  if (code !== "EADDRINUSE") return failure
  const message = `devProvider: port ${port} of ${HOST} is in use. Stop the program that uses it, or write devProvider({ port: ${port + 1} })`
  return Object.assign(new Error(message), { code, port })
}

const isPortInUse = (error: unknown): boolean => Reflect.get(asError(error), "code") === "EADDRINUSE"

export interface ListenerOptions {
  readonly port: number
  /** Whether to use a free port if this one is in use. */
  readonly canUseFreePort: boolean
}

/** A server that starts on demand, restarts at the same address, and does not keep the process alive. */
export class Listener {
  readonly #create: () => Server
  readonly #canUseFreePort: boolean
  /** The configured port. The value 0 is replaced by the port that the first start has used. */
  #port: number
  /** The port on which the server listens. */
  #usedPort: number
  #server: Server | undefined
  #started: Promise<void> | undefined
  #isClosed = false

  constructor({ port, canUseFreePort }: ListenerOptions, create: () => Server) {
    this.#port = port
    this.#usedPort = port
    this.#canUseFreePort = canUseFreePort
    this.#create = create
  }

  /** The origin of the server. It differs from `issuer` if the configured port was in use. */
  get origin(): string {
    return `http://${HOST}:${this.#usedPort}`
  }

  /**
   * The issuer, `http://127.0.0.1:4499`. It has the configured port, so it is known before the server starts.
   *
   * @throws Error if the configured port is 0 and the server has not started yet
   */
  get issuer(): string {
    if (this.#port === 0)
      throw new Error(
        "devProvider({ port: 0 }) has no origin before it listens. Write: const dev = await devProvider({ port: 0 }).listen()",
      )
    return `http://${HOST}:${this.#port}`
  }

  /** Starts the server, unless it is running. */
  async listen(): Promise<void> {
    this.#isClosed = false
    this.#started ??= this.#start()
    await this.#started
  }

  /** Starts the server, unless it is running or `close` was called. */
  async listenUnlessClosed(): Promise<void> {
    if (!this.#isClosed) await this.listen()
  }

  /** Stops the server and closes open connections. It can be called repeatedly. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#started?.catch(() => {})
    const server = this.#server
    this.#started = undefined
    this.#server = undefined
    if (!server) return
    const closed = once(server, "close")
    server.close()
    server.closeAllConnections()
    await closed
  }

  async #start(): Promise<void> {
    try {
      const server = await this.#listenAt(this.#usedPort)
      this.#server = server
      const address = server.address()
      if (address !== null && typeof address !== "string" && (this.#port === 0 || this.#usedPort === 0))
        this.#usedPort = address.port
      if (this.#port === 0) this.#port = this.#usedPort
    } catch (error) {
      // A later call tries again, because the port may be free by then.
      this.#started = undefined
      throw toStartError(error, this.#port)
    }
  }

  async #listenAt(port: number): Promise<Server> {
    const server = this.#create()
    server.unref().on("connection", (socket) => socket.unref())
    try {
      // Exclusive, because the workers of a cluster would otherwise share the port, and get codes that another worker
      // issued.
      server.listen({ port, host: HOST, exclusive: true })
      await once(server, "listening")
      return server
    } catch (error) {
      if (!this.#canUseFreePort || port === 0 || !isPortInUse(error)) throw error
      this.#usedPort = 0
      return this.#listenAt(0)
    }
  }
}
