/**
 * PostgreSQL with pg.
 *
 * @module
 */
import type { PostgresPool, PostgresPoolClient } from "kysely"
import { asError } from "../../errors/errors.js"
import { loadPeer } from "./load.js"
import { hasMethod, type PoolOptions } from "./options.js"

/**
 * Converts a 64-bit integer to a number. Returns a string if a number would lose precision: otherwise two different ids
 * could become equal.
 */
export function toNumberIfSafe(value: bigint | string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** The members of pg's client that are used here. */
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
  // Idle connections do not keep the process alive.
  allowExitOnIdle: true,
}

const isPool = (source: unknown): source is Pool => hasMethod(source, "connect") && hasMethod(source, "end")

/**
 * True if the connection is broken: the error does not come from the server, or the server reports a connection failure
 * or a shutdown.
 */
const isBroken = (error: unknown): boolean => {
  const { severity, code } = Object(error)
  return severity === undefined || /^(?:08|57P)/.test(code)
}

/**
 * A connection of the pool. If it breaks, `release` closes it. pg itself would return the connection to the pool after
 * a query timeout.
 */
class GuardedClient {
  readonly #client: Client
  #error: Error | undefined

  constructor(client: Client) {
    this.#client = client
    // Without this listener, an error on a connection in use would end the process: the pool listens only on idle
    // connections.
    client.on("error", this.#setError)
  }

  readonly #setError = (error: Error): void => {
    this.#error = error
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    // Kysely rolls back after a timeout. On a broken connection, the rollback would wait for a timeout again.
    if (this.#error) throw this.#error
    try {
      return await this.#client.query(sql, parameters)
    } catch (error) {
      if (isBroken(error)) this.#setError(asError(error))
      throw error
    }
  }

  release(): void {
    this.#client.off("error", this.#setError)
    this.#client.release(this.#error !== undefined)
  }
}

/** The type id of `bigint` in pg_type. */
const BIGINT_TYPE_ID = 20

function openPool(source: string | PoolOptions): Pool {
  // `loadPeer` returns `unknown`; the package "pg" exports these members.
  const { Pool, types } = loadPeer("pg") as PgModule
  const getTypeParser: TypeParser = (id, format) =>
    id === BIGINT_TYPE_ID && format !== "binary" ? toNumberIfSafe : types.getTypeParser(id, format)
  const options = typeof source === "string" ? { connectionString: source } : source
  const pool = new Pool({ ...DEFAULTS, types: { getTypeParser }, ...options })
  // The pool replaces an idle connection that breaks. Without this listener, the error would end the process.
  pool.on("error", () => {})
  return pool
}

/** Returns a pool for Kysely: the application's pool, which the application closes, or a new one. */
export function postgresPool(source: string | object): PostgresPool {
  const pool = isPool(source) ? source : openPool(source as string | PoolOptions)
  return {
    // The cast is safe: Kysely calls `query` only with a string, never with a cursor, and receives pg's result.
    connect: async () => new GuardedClient(await pool.connect()) as unknown as PostgresPoolClient,
    end: async () => {
      if (pool !== source) await pool.end()
    },
  }
}
