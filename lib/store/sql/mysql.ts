/**
 * MySQL and MariaDB with mysql2.
 *
 * @module
 */
import type { MysqlPool, MysqlPoolConnection } from "kysely"
import { asError } from "../../errors/errors.js"
import { loadPeer } from "./load.js"
import { hasFunction, type PoolOptions } from "./options.js"

type Done = (error: unknown, result?: unknown) => void

/** The used members of mysql2's connection. */
interface Connection {
  query(options: { sql: string; values?: readonly unknown[]; timeout?: number }, done: Done): unknown
  release(): void
  destroy(): void
}

interface Pool {
  getConnection(done: (error: unknown, connection: Connection) => void): void
  end(done: (error: unknown) => void): void
}

interface Mysql2Module {
  createPool(options: PoolOptions): Pool & { on(event: "connection", listener: (opened: Connection) => void): unknown }
}

const CONNECT_TIMEOUT_MS = 5_000
/** Longer than the connect timeout, so that a failure to connect is reported first. */
const WAIT_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 1_000
/** How long closing the pool may take. */
const CLOSE_TIMEOUT_MS = 5_000
const QUERY_TIMEOUT_MS = 8_000

const DEFAULTS: PoolOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  charset: "utf8mb4",
  enableKeepAlive: true,
  keepAliveInitialDelay: 30_000,
  // Numbers, or strings beyond the safe integer range.
  supportBigNumbers: true,
  bigNumberStrings: false,
}

/**
 * Strict mode: a value that is too long must fail, because truncation could make two ids equal. Backslash escapes must
 * be enabled, because the driver escapes values with backslashes.
 */
const SESSION = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"

/** Whether the connection is broken: the error is not a server response, or reports that the connection ended. */
const isBroken = (error: unknown): boolean => {
  const { fatal, sqlState, errno } = Object(error)
  const wasKilled = errno === 1053 || errno === 1927 || errno === 4031
  return fatal === true || sqlState === undefined || wasKilled
}

/** A connection with a timeout per statement. A broken one is not returned to the pool. */
class GuardedConnection {
  readonly #connection: Connection
  readonly #timeout: number | undefined
  #error: Error | undefined

  constructor(connection: Connection, timeout: number | undefined) {
    this.#connection = connection
    this.#timeout = timeout
  }

  query(sql: string, values: readonly unknown[], done: Done): void {
    // Without this check, a rollback after a timeout would wait again.
    if (this.#error) {
      done(this.#error)
      return
    }
    const limit = this.#timeout === undefined ? {} : { timeout: this.#timeout }
    this.#connection.query({ sql, values, ...limit }, (error, result) => {
      if (error && isBroken(error)) this.#error = asError(error)
      done(error, result)
    })
  }

  release(): void {
    if (this.#error) this.#connection.destroy()
    else this.#connection.release()
  }
}

function openPool(at: string | PoolOptions): Pool {
  // The package's export.
  const { createPool } = loadPeer("mysql2") as Mysql2Module
  const pool = createPool({ ...DEFAULTS, ...(typeof at === "string" ? { uri: at } : at) })
  // A connection runs its statements in order, so this one runs first.
  pool.on("connection", (opened) =>
    opened.query({ sql: SESSION }, (error) => {
      if (error) opened.destroy()
    }),
  )
  return pool
}

/** Waits for a free connection with a timeout; mysql2 has none. */
function getConnection(pool: Pool, done: (error: unknown, connection?: Connection) => void): void {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    done(new Error(`no database connection was available within ${WAIT_TIMEOUT_MS} ms`))
  }, WAIT_TIMEOUT_MS)
  pool.getConnection((error, connection) => {
    clearTimeout(timer)
    if (isLate) return connection?.release()
    done(error, connection)
  })
}

/** Returns the application's pool, with callbacks. A pool with promises contains one. */
function readOwnPool(at: string | object): Pool | undefined {
  if (!hasFunction(at, "getConnection")) return undefined
  const within: unknown = Reflect.get(at, "pool")
  // Both were checked to have the used function.
  return (hasFunction(within, "getConnection") ? within : at) as Pool
}

/** Closes a pool. mysql2 waits forever for a connection that the server neither accepts nor refuses. */
function endPool(pool: Pool, done: (error: unknown) => void): void {
  let isDone = false
  const finish = (error: unknown) => {
    clearTimeout(timer)
    if (!isDone) done(error)
    isDone = true
  }
  const timer = setTimeout(finish, CLOSE_TIMEOUT_MS, undefined)
  pool.end(finish)
}

/** A pool for Kysely: a new one, or the application's, which stays open and keeps its own limits. */
export function mysqlPool(at: string | object): MysqlPool {
  const given = readOwnPool(at)
  const pool = given ?? openPool(at as string | PoolOptions)
  const timeout = given ? undefined : QUERY_TIMEOUT_MS
  return {
    getConnection: (done) =>
      (given ? given.getConnection.bind(given) : getConnection.bind(null, pool))((error, connection) =>
        // Kysely calls `query` with these three parameters and uses no other members of a connection.
        done(error, (connection && new GuardedConnection(connection, timeout)) as unknown as MysqlPoolConnection),
      ),
    end: (done) => (given ? done(undefined) : endPool(pool, done)),
  }
}
