/**
 * MySQL and MariaDB with mysql2.
 *
 * @module
 */
import type { MysqlPool, MysqlPoolConnection } from "kysely"
import { asError } from "../../errors/errors.js"
import { loadPeer } from "./load.js"
import { hasMethod, type PoolOptions } from "./options.js"

type Done = (error: unknown, result?: unknown) => void

/** The members of mysql2's connection that are used here. */
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
  createPool(
    options: PoolOptions,
  ): Pool & { on(event: "connection", listener: (connection: Connection) => void): unknown }
}

const CONNECT_TIMEOUT_MS = 5_000
/**
 * How long a statement waits for a connection. It is longer than the connect timeout, so that a failure to connect is
 * reported first.
 */
const WAIT_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 1_000
/** How long closing the pool may take. */
const CLOSE_TIMEOUT_MS = 5_000
const QUERY_TIMEOUT_MS = 8_000

const DEFAULTS: PoolOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  charset: "utf8mb4",
  enableKeepAlive: true,
  keepAliveInitialDelay: 30_000,
  // 64-bit integers are numbers, or strings if they exceed the safe integer range.
  supportBigNumbers: true,
  bigNumberStrings: false,
}

/**
 * Sets the SQL mode. In strict mode a value that is too long fails. Otherwise it would be truncated, and two ids could
 * become equal. NO_BACKSLASH_ESCAPES is not set, because the driver escapes values with backslashes.
 */
const SET_SQL_MODE = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"

/**
 * True if the connection is broken: the error does not come from the server, or the server reports that the connection
 * has ended.
 */
const isBroken = (error: unknown): boolean => {
  const { fatal, sqlState, errno } = Object(error)
  const wasClosedByServer = errno === 1053 || errno === 1927 || errno === 4031
  return fatal === true || sqlState === undefined || wasClosedByServer
}

/** A connection of the pool, with a timeout per statement. If it breaks, `release` closes it. */
class GuardedConnection {
  readonly #connection: Connection
  readonly #timeoutMs: number | undefined
  #error: Error | undefined

  constructor(connection: Connection, timeoutMs: number | undefined) {
    this.#connection = connection
    this.#timeoutMs = timeoutMs
  }

  query(sql: string, values: readonly unknown[], done: Done): void {
    // Kysely rolls back after a timeout. On a broken connection, the rollback would wait for a timeout again.
    if (this.#error) {
      done(this.#error)
      return
    }
    const timeoutOption = this.#timeoutMs === undefined ? {} : { timeout: this.#timeoutMs }
    this.#connection.query({ sql, values, ...timeoutOption }, (error, result) => {
      if (error && isBroken(error)) this.#error = asError(error)
      done(error, result)
    })
  }

  release(): void {
    if (this.#error) this.#connection.destroy()
    else this.#connection.release()
  }
}

function openPool(source: string | PoolOptions): Pool {
  // `loadPeer` returns `unknown`; the package "mysql2" exports this function.
  const { createPool } = loadPeer("mysql2") as Mysql2Module
  const pool = createPool({ ...DEFAULTS, ...(typeof source === "string" ? { uri: source } : source) })
  // A connection runs its statements in order, so the mode is set before the first other statement.
  pool.on("connection", (connection) =>
    connection.query({ sql: SET_SQL_MODE }, (error) => {
      if (error) connection.destroy()
    }),
  )
  return pool
}

/** Waits for a free connection, for at most `WAIT_TIMEOUT_MS`. mysql2 itself would wait without a limit. */
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

/**
 * Returns the application's pool; undefined if `source` is a URL or options. A pool with promises contains a pool with
 * callbacks, which is returned instead.
 */
function readOwnPool(source: string | object): Pool | undefined {
  if (!hasMethod(source, "getConnection")) return undefined
  const callbackPool: unknown = Reflect.get(source, "pool")
  // Both have been checked to have `getConnection`.
  return (hasMethod(callbackPool, "getConnection") ? callbackPool : source) as Pool
}

/**
 * Closes a pool, and waits for at most `CLOSE_TIMEOUT_MS`. mysql2 itself would wait forever for a connection that the
 * server neither accepts nor refuses.
 */
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

/**
 * Returns a pool for Kysely: the application's pool or a new one. The application closes its own pool, and no timeouts
 * are added to it.
 */
export function mysqlPool(source: string | object): MysqlPool {
  const ownPool = readOwnPool(source)
  const pool = ownPool ?? openPool(source as string | PoolOptions)
  const timeoutMs = ownPool ? undefined : QUERY_TIMEOUT_MS
  return {
    getConnection: (done) =>
      (ownPool ? ownPool.getConnection.bind(ownPool) : getConnection.bind(null, pool))((error, connection) =>
        // The cast is safe: Kysely calls `query` with these three parameters and uses no other members of a connection.
        done(error, (connection && new GuardedConnection(connection, timeoutMs)) as unknown as MysqlPoolConnection),
      ),
    end: (done) => (ownPool ? done(undefined) : endPool(pool, done)),
  }
}
