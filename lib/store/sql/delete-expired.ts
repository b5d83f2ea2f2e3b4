/**
 * Deletes expired rows.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises"
import { isWithinLast } from "../../base/timeout.js"
import { type Connection, type Executor, executeSql } from "./connection.js"
import { quoteName } from "./ddl.js"

/**
 * How many rows one statement deletes. The number is small, so that other writers do not wait long for the locked rows,
 * or for SQLite's write lock.
 */
const BATCH = 500

const INTERVAL_MS = 10 * 60_000

interface DeletedBatch {
  readonly deleted: number
  /** True if the batch was not full, so that probably no expired row is left. */
  readonly isLast: boolean
}

/** A table and its key columns. */
interface ExpiringTable {
  readonly name: string
  readonly key: readonly string[]
}

/**
 * Deletes one batch of the rows that expired first. The DELETE checks the expiry too, because a session may have been
 * extended after the subquery found its row. PostgreSQL skips locked rows.
 */
async function deleteBatch(connection: Connection<Executor>, { name, key }: ExpiringTable): Promise<DeletedBatch> {
  const isPostgres = connection.dialect === "postgres"
  const [outerNow, innerNow, skipLocked] = isPostgres ? ["$1", "$2", " FOR UPDATE SKIP LOCKED"] : ["?", "?", ""]
  const table = quoteName(name, connection.dialect)
  const expired = `SELECT ${key} FROM ${table} WHERE expires < ${innerNow} ORDER BY expires LIMIT ${BATCH}${skipLocked}`
  const now = connection.now()
  const statement = `DELETE FROM ${table} WHERE expires < ${outerNow} AND (${key}) IN (${expired})`
  const deleted = Number((await executeSql(connection, statement, [now, now])).numAffectedRows)
  return { deleted, isLast: deleted < BATCH }
}

/**
 * Deletes one batch in MySQL. A DELETE with a subquery would lock all rows that the subquery reads, so the keys are
 * read first. The DELETE finds the rows by key, because other statements lock the index of the key first. Another order
 * could cause a deadlock, which would fail a sign-in.
 */
async function deleteMysqlBatch(connection: Connection<Executor>, { name, key }: ExpiringTable): Promise<DeletedBatch> {
  const table = quoteName(name, connection.dialect)
  const now = connection.now()
  const query = `SELECT ${key} FROM ${table} WHERE expires < ? ORDER BY expires LIMIT ${BATCH}`
  const { rows } = await executeSql<Record<string, unknown>>(connection, query, [now])
  if (rows.length === 0) return { deleted: 0, isLast: true }
  const keys = rows.map((row) => key.map((column) => row[column]))
  const placeholders = keys.map((values) => `(${values.map(() => "?")})`)
  // `expires + 0` prevents MySQL from using the index of `expires`.
  const statement = `DELETE FROM ${table} WHERE (${key}) IN (${placeholders}) AND expires + 0 < ?`
  const { numAffectedRows } = await executeSql(connection, statement, [...keys.flat(), now])
  return { deleted: Number(numAffectedRows), isLast: rows.length < BATCH }
}

/** Deletes the expired rows of a table and returns their number. */
export async function deleteExpiredRows(connection: Connection<Executor>, table: ExpiringTable): Promise<number> {
  let total = 0
  for (;;) {
    const { deleted, isLast } = await (connection.dialect === "mysql" ? deleteMysqlBatch : deleteBatch)(
      connection,
      table,
    )
    total += deleted
    if (isLast) return total
    await setImmediate()
  }
}

/** Deletes expired rows in the background, at most every ten minutes. */
export class ExpiredRowCleaner {
  readonly #deleteExpired: () => Promise<unknown>
  readonly #now: () => number
  #startedAt = Number.NEGATIVE_INFINITY
  #running: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(deleteExpired: () => Promise<unknown>, now: () => number) {
    this.#deleteExpired = deleteExpired
    this.#now = now
  }

  /**
   * Starts a deletion in the background if the last one started at least ten minutes ago. A failure is ignored, because
   * the next deletion deletes the remaining rows.
   */
  cleanIfDue(): void {
    const now = this.#now()
    if (this.#isClosed || isWithinLast(INTERVAL_MS, this.#startedAt, now)) return
    this.#startedAt = now
    this.#running = setImmediate()
      .then(() => (this.#isClosed ? undefined : this.#deleteExpired()))
      .catch(() => {})
  }

  /** Prevents further deletions, and waits for a running one. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }
}
