/**
 * PostgreSQL with pg.
 *
 * @module
 */
import type { PostgresPool, PostgresPoolClient } from "kysely"
import { asError } from "../../errors.js"
import { loadPeer } from "./load.js"
import { hasFunction, type PoolOptions } from "./options.js"
import { wholeNumber } from "./rows.js"

/** What is used of pg's client. */
interface Client {
  query(sql: string, parameters: readonly unknown[]): Promise<unknown>
  release(destroy?: boolean): void
  on(event: "error", listener: (error: Error) => void): unknown
  off(event: "error", listener: (error: Error) => void): unknown
}

interface Pool {
  connect(): Promise<Client>
  end(): Promise<void>
}

type TypeParser = (id: number, format?: "text" | "binary") => unknown

interface PgModule {
  readonly types: { readonly getTypeParser: TypeParser }
  readonly Pool: new (options: PoolOptions) => Pool & { on(event: "error", listener: () => void): unknown }
}

const DEFAULTS: PoolOptions = {
  connectionTimeoutMillis: 5_000,
  query_timeout: 8_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
  // A script that has nothing else to do may end.
  allowExitOnIdle: true,
}

const isPool = (at: unknown): at is Pool => hasFunction(at, "connect") && hasFunction(at, "end")

/** Is the connection of no use any more? Any error that is no answer of the server, or says that it goes down. */
const isBroken = (error: unknown): boolean => {
  const { severity, code } = Object(error)
  return severity === undefined || /^(?:08|57P)/.test(code)
}

/** A connection that is not given to the next one after it broke; pg keeps one whose answer never came. */
class GuardedClient {
  readonly #client: Client
  #fault: Error | undefined

  constructor(client: Client) {
    this.#client = client
    // The pool listens only while nobody uses a connection; one that broke in use would end the process.
    client.on("error", this.#note)
  }

  readonly #note = (error: Error): void => {
    this.#fault = error
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    // A rollback after a time-out would wait for another.
    if (this.#fault) throw this.#fault
    try {
      return await this.#client.query(sql, parameters)
    } catch (error) {
      if (isBroken(error)) this.#note(asError(error))
      throw error
    }
  }

  release(): void {
    this.#client.off("error", this.#note)
    this.#client.release(this.#fault !== undefined)
  }
}

/** The id of `bigint` in pg_type. */
const BIGINT = 20

function openPool(at: string | PoolOptions): Pool {
  // As the package exports it.
  const { Pool, types } = loadPeer("pg") as PgModule
  const getTypeParser: TypeParser = (id, format) =>
    id === BIGINT && format !== "binary" ? wholeNumber : types.getTypeParser(id, format)
  const given = typeof at === "string" ? { connectionString: at } : at
  const pool = new Pool({ ...DEFAULTS, types: { getTypeParser }, ...given })
  // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
  pool.on("error", () => {})
  return pool
}

/** A pool for Kysely: one that is opened here, or the application's, which stays open. */
export function postgresPool(at: string | object): PostgresPool {
  const pool = isPool(at) ? at : openPool(at as string | PoolOptions)
  return {
    // Kysely calls `query` with a text and never with a cursor, and gets what pg gives.
    connect: async () => new GuardedClient(await pool.connect()) as unknown as PostgresPoolClient,
    end: async () => {
      if (pool !== at) await pool.end()
    },
  }
}
