/**
 * MySQL and MariaDB with mysql2.
 *
 * @module
 */
import type { MysqlPool, MysqlPoolConnection } from "kysely"
import { asError } from "../../errors.js"
import { loadPeer } from "./load.js"
import { hasFunction, type PoolOptions } from "./options.js"

type Done = (error: unknown, result?: unknown) => void

/** What is used of mysql2's connection. */
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
/** A connection that can't be opened says so itself before this. */
const WAIT_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 1_000
const QUERY_TIMEOUT_MS = 8_000

const DEFAULTS: PoolOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  charset: "utf8mb4",
  enableKeepAlive: true,
  keepAliveInitialDelay: 30_000,
  // Numbers, and text beyond what a number can hold.
  supportBigNumbers: true,
  bigNumberStrings: false,
}

/**
 * Text that is too long must fail: the server may be set to cut it off, and two ids would be one. And the driver writes
 * values into the statement with backslashes, which the server must understand as such.
 */
const SESSION = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"

/** Is the connection of no use any more? Any error that is no answer of the server, or says that it was ended. */
const isBroken = (error: unknown): boolean => {
  const { fatal, sqlState, errno } = Object(error)
  const wasKilled = errno === 1053 || errno === 1927 || errno === 4031
  return fatal === true || sqlState === undefined || wasKilled
}

/** A connection with a limit on each statement, and that is not given to the next one after it broke. */
class GuardedConnection {
  readonly #connection: Connection
  readonly #timeout: number | undefined
  #fault: Error | undefined

  constructor(connection: Connection, timeout: number | undefined) {
    this.#connection = connection
    this.#timeout = timeout
  }

  query(sql: string, values: readonly unknown[], done: Done): void {
    // A rollback after a time-out would wait for another.
    if (this.#fault) {
      done(this.#fault)
      return
    }
    const limit = this.#timeout === undefined ? {} : { timeout: this.#timeout }
    this.#connection.query({ sql, values, ...limit }, (error, result) => {
      if (error && isBroken(error)) this.#fault = asError(error)
      done(error, result)
    })
  }

  release(): void {
    if (this.#fault) this.#connection.destroy()
    else this.#connection.release()
  }
}

function openPool(at: string | PoolOptions): Pool {
  // As the package exports it.
  const { createPool } = loadPeer("mysql2") as Mysql2Module
  const pool = createPool({ ...DEFAULTS, ...(typeof at === "string" ? { uri: at } : at) })
  // Statements of a connection keep their order, so this one comes before all of ours.
  pool.on("connection", (opened) =>
    opened.query({ sql: SESSION }, (error) => {
      if (error) opened.destroy()
    }),
  )
  return pool
}

/** Waits for a connection, but not for ever, as mysql2 does for one that is in use. */
function getConnection(pool: Pool, done: (error: unknown, connection?: Connection) => void): void {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    done(new Error(`no connection to the database was free within ${WAIT_TIMEOUT_MS} ms`))
  }, WAIT_TIMEOUT_MS)
  pool.getConnection((error, connection) => {
    clearTimeout(timer)
    if (isLate) return connection?.release()
    done(error, connection)
  })
}

/** The pool with callbacks; one with promises has it within. */
function givenPool(at: string | object): Pool | undefined {
  if (!hasFunction(at, "getConnection")) return undefined
  const within: unknown = Reflect.get(at, "pool")
  // Both were seen to have the function that is used.
  return (hasFunction(within, "getConnection") ? within : at) as Pool
}

/** A pool for Kysely: one that is opened here, or the application's, which stays open and keeps its own limits. */
export function mysqlPool(at: string | object): MysqlPool {
  const given = givenPool(at)
  const pool = given ?? openPool(at as string | PoolOptions)
  const timeout = given ? undefined : QUERY_TIMEOUT_MS
  return {
    getConnection: (done) =>
      (given ? given.getConnection.bind(given) : getConnection.bind(null, pool))((error, connection) =>
        // Kysely calls `query` with these three parameters, and reads nothing of a connection that was not given.
        done(error, (connection && new GuardedConnection(connection, timeout)) as unknown as MysqlPoolConnection),
      ),
    end: (done) => (given ? done(undefined) : pool.end(done)),
  }
}
