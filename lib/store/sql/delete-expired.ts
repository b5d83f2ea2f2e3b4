/**
 * Deletes expired rows.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises"
import { isWithin } from "../../base/timeout.js"
import { type Connection, type Executor, run } from "./connection.js"
import { quoted } from "./ddl.js"

/** Small enough that other writers do not wait long for the rows or for SQLite. */
const BATCH = 500

const INTERVAL_MS = 10 * 60_000

interface DeletedBatch {
  readonly deleted: number
  /** Whether the batch was probably the last one. */
  readonly isLast: boolean
}

/** A table and its key columns. */
interface ExpiringTable {
  readonly name: string
  readonly key: readonly string[]
}

/**
 * Deletes one batch of the oldest expired rows. The expiry is checked again, because a session may have been extended
 * since it was found. Locked rows are skipped.
 */
async function deleteBatch(connection: Connection<Executor>, { name, key }: ExpiringTable): Promise<DeletedBatch> {
  const isPostgres = connection.dialect === "postgres"
  const [first, second, skip] = isPostgres ? ["$1", "$2", " FOR UPDATE SKIP LOCKED"] : ["?", "?", ""]
  const table = quoted(name, connection.dialect)
  const expired = `SELECT ${key} FROM ${table} WHERE expires < ${second} ORDER BY expires LIMIT ${BATCH}${skip}`
  const now = connection.now()
  const statement = `DELETE FROM ${table} WHERE expires < ${first} AND (${key}) IN (${expired})`
  const deleted = Number((await run(connection, statement, [now, now])).numAffectedRows)
  return { deleted, isLast: deleted < BATCH }
}

/**
 * Deletes one batch in MySQL, which locks all rows that a DELETE with a subquery reads. The keys are therefore read
 * first and the rows deleted by key, in the order in which other statements lock them. Another order could cause a
 * deadlock and fail a sign-in.
 */
async function deleteMysqlBatch(connection: Connection<Executor>, { name, key }: ExpiringTable): Promise<DeletedBatch> {
  const table = quoted(name, connection.dialect)
  const now = connection.now()
  const query = `SELECT ${key} FROM ${table} WHERE expires < ? ORDER BY expires LIMIT ${BATCH}`
  const { rows } = await run<Record<string, unknown>>(connection, query, [now])
  if (rows.length === 0) return { deleted: 0, isLast: true }
  const keys = rows.map((row) => key.map((column) => row[column]))
  const places = keys.map((values) => `(${values.map(() => "?")})`)
  // The sum prevents the server from using the index on the expiry.
  const statement = `DELETE FROM ${table} WHERE (${key}) IN (${places}) AND expires + 0 < ?`
  const { numAffectedRows } = await run(connection, statement, [...keys.flat(), now])
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
  #deletedAt = Number.NEGATIVE_INFINITY
  #running: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(cleanUp: () => Promise<unknown>, now: () => number) {
    this.#deleteExpired = cleanUp
    this.#now = now
  }

  /** Starts the deletion if it is due. It never fails and is not awaited; the next run deletes the rest. */
  cleanIfDue(): void {
    const now = this.#now()
    if (this.#isClosed || isWithin(INTERVAL_MS, this.#deletedAt, now)) return
    this.#deletedAt = now
    this.#running = setImmediate()
      .then(() => (this.#isClosed ? undefined : this.#deleteExpired()))
      .catch(() => {})
  }

  /** Waits for a running deletion. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }
}
