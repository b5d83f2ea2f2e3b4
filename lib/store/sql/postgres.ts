/**
 * PostgreSQL with pg.
 *
 * @module
 */
import type { PostgresPool, PostgresPoolClient } from "kysely"
import { asError } from "../../errors/errors.js"
import { loadPeer } from "./load.js"
import { hasFunction, type PoolOptions } from "./options.js"

/** A 64-bit integer: a string if a number would lose precision, because two ids could become equal. */
export function wholeNumber(value: bigint | string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** The used members of pg's client. */
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

const isPool = (at: unknown): at is Pool => hasFunction(at, "connect") && hasFunction(at, "end")

/** Whether the connection is broken: the error is not a server response, or reports a shutdown. */
const isBroken = (error: unknown): boolean => {
  const { severity, code } = Object(error)
  return severity === undefined || /^(?:08|57P)/.test(code)
}

/** A connection that is not returned to the pool after it broke. pg would keep one that timed out. */
class GuardedClient {
  readonly #client: Client
  #error: Error | undefined

  constructor(client: Client) {
    this.#client = client
    // The pool listens for errors only on idle connections. Without this listener, an error in use would end the
    // process.
    client.on("error", this.#setError)
  }

  readonly #setError = (error: Error): void => {
    this.#error = error
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    // Without this check, a rollback after a timeout would wait again.
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
const BIGINT = 20

function openPool(at: string | PoolOptions): Pool {
  // The package's export.
  const { Pool, types } = loadPeer("pg") as PgModule
  const getTypeParser: TypeParser = (id, format) =>
    id === BIGINT && format !== "binary" ? wholeNumber : types.getTypeParser(id, format)
  const given = typeof at === "string" ? { connectionString: at } : at
  const pool = new Pool({ ...DEFAULTS, types: { getTypeParser }, ...given })
  // An idle connection that breaks is replaced. Without a listener it would end the process.
  pool.on("error", () => {})
  return pool
}

/** A pool for Kysely: a new one, or the application's, which stays open. */
export function postgresPool(at: string | object): PostgresPool {
  const pool = isPool(at) ? at : openPool(at as string | PoolOptions)
  return {
    // Kysely calls `query` with a string, never with a cursor, and receives pg's result.
    connect: async () => new GuardedClient(await pool.connect()) as unknown as PostgresPoolClient,
    end: async () => {
      if (pool !== at) await pool.end()
    },
  }
}
