import { once } from "node:events"
import type { Server } from "node:http"
import { asError } from "../../errors.js"

// This machine alone: whoever reaches the provider can be anybody.
const HOST = "127.0.0.1"

function toStartError(error: unknown, port: number): Error {
  const failure = asError(error)
  const code: unknown = Reflect.get(failure, "code")
  if (code !== "EADDRINUSE") return failure
  const message = `devProvider: port ${port} of ${HOST} is taken. Stop what listens there, or write devProvider({ port: ${port + 1} })`
  return Object.assign(new Error(message), { code, port })
}

const isTaken = (error: unknown): boolean => Reflect.get(asError(error), "code") === "EADDRINUSE"

export interface ListenerOptions {
  readonly port: number
  /** Is a free port taken if another program listens on this one? */
  readonly isFlexible: boolean
}

/** A server that begins to listen when it is asked to, at one address for good, and keeps no process alive. */
export class Listener {
  readonly #create: () => Server
  readonly #isFlexible: boolean
  #port: number
  /** The port that it listens on. */
  #usedPort: number
  #server: Server | undefined
  #started: Promise<void> | undefined
  #isClosed = false

  constructor({ port, isFlexible }: ListenerOptions, create: () => Server) {
    this.#port = port
    this.#usedPort = port
    this.#isFlexible = isFlexible
    this.#create = create
  }

  /** Where it listens. It differs from `name` if another program had the port. */
  get origin(): string {
    return `http://${HOST}:${this.#usedPort}`
  }

  /**
   * `http://127.0.0.1:4499`: by what it is known, from the beginning on.
   *
   * @throws Error while a free port was not taken yet
   */
  get name(): string {
    if (this.#port === 0)
      throw new Error(
        "devProvider({ port: 0 }) has no address before it listens. Write: const dev = await devProvider({ port: 0 }).listen()",
      )
    return `http://${HOST}:${this.#port}`
  }

  /** Listens, unless it does already. */
  async listen(): Promise<void> {
    this.#isClosed = false
    this.#started ??= this.#start()
    await this.#started
  }

  /** The same for a server that nobody has closed. */
  async listenUnlessClosed(): Promise<void> {
    if (!this.#isClosed) await this.listen()
  }

  /** Cuts what is under way; may be called twice. */
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
      // The port may be free at the next attempt.
      this.#started = undefined
      throw toStartError(error, this.#port)
    }
  }

  async #listenAt(port: number): Promise<Server> {
    const server = this.#create()
    server.unref().on("connection", (socket) => socket.unref())
    try {
      // Each worker of a cluster would answer for codes that another one gave out.
      server.listen({ port, host: HOST, exclusive: true })
      await once(server, "listening")
      return server
    } catch (error) {
      if (!this.#isFlexible || port === 0 || !isTaken(error)) throw error
      this.#usedPort = 0
      return this.#listenAt(0)
    }
  }
}
