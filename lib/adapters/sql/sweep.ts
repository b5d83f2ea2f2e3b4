/**
 * Deleting what has ended.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises"
import { isWithin } from "../../timeout.js"
import { quoted } from "./schema.js"
import { run, type Store } from "./store.js"

/** Few enough that nobody has to wait long for the rows, or for SQLite. */
const BATCH = 500

const PAUSE_MS = 10 * 60_000

interface Swept {
  readonly deleted: number
  /** Is there, as far as can be told, no more? */
  readonly isLast: boolean
}

/** A table, and the columns of its key. */
interface SweptTable {
  readonly name: string
  readonly key: readonly string[]
}

/**
 * Deletes the rows that ended first, up to a batch. A session may have been prolonged since it was found, so the end is
 * asked for again; and what somebody else has locked is passed by.
 */
async function deleteBatch(store: Store, { name, key }: SweptTable): Promise<Swept> {
  const isPostgres = store.dialect === "postgres"
  const [first, second, skip] = isPostgres ? ["$1", "$2", " FOR UPDATE SKIP LOCKED"] : ["?", "?", ""]
  const table = quoted(name, store.dialect)
  const ended = `SELECT ${key} FROM ${table} WHERE expires < ${second} ORDER BY expires LIMIT ${BATCH}${skip}`
  const now = store.now()
  const statement = `DELETE FROM ${table} WHERE expires < ${first} AND (${key}) IN (${ended})`
  const deleted = Number((await run(store, statement, [now, now])).numAffectedRows)
  return { deleted, isLast: deleted < BATCH }
}

/**
 * The same where a statement that searches locks what it looks at. Rows are deleted by their keys, in the order in which
 * everybody else locks them: one of two who lock in different orders would fail, and that could be a sign-in.
 */
async function deleteBatchOfMysql(store: Store, { name, key }: SweptTable): Promise<Swept> {
  const table = quoted(name, store.dialect)
  const now = store.now()
  const query = `SELECT ${key} FROM ${table} WHERE expires < ? ORDER BY expires LIMIT ${BATCH}`
  const { rows } = await run<Record<string, unknown>>(store, query, [now])
  if (rows.length === 0) return { deleted: 0, isLast: true }
  const keys = rows.map((row) => key.map((column) => row[column]))
  const places = keys.map((values) => `(${values.map(() => "?")})`)
  // The sum keeps the server from searching by the end all the same.
  const statement = `DELETE FROM ${table} WHERE (${key}) IN (${places}) AND expires + 0 < ?`
  const { numAffectedRows } = await run(store, statement, [...keys.flat(), now])
  return { deleted: Number(numAffectedRows), isLast: rows.length < BATCH }
}

async function deleteEnded(store: Store, table: SweptTable): Promise<number> {
  let total = 0
  for (;;) {
    const { deleted, isLast } = await (store.dialect === "mysql" ? deleteBatchOfMysql : deleteBatch)(store, table)
    total += deleted
    if (isLast) return total
    await setImmediate()
  }
}

/** Deletes ended sessions, links and claims, and says how many there were. */
export async function sweepStore(store: Store): Promise<number> {
  const { sessions, verificationTokens } = store.names
  const ended = await deleteEnded(store, { name: sessions, key: ["token_hash"] })
  return ended + (await deleteEnded(store, { name: verificationTokens, key: ["identifier", "token"] }))
}

/** Sweeps now and then, beside what others do. */
export class Sweeper {
  readonly #sweep: () => Promise<unknown>
  readonly #now: () => number
  #sweptAt = Number.NEGATIVE_INFINITY
  #running: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(sweep: () => Promise<unknown>, now: () => number) {
    this.#sweep = sweep
    this.#now = now
  }

  /** Begins to sweep when it is time. Never fails and is not waited for: what remains is swept the next time. */
  remind(): void {
    const now = this.#now()
    if (this.#isClosed || isWithin(PAUSE_MS, this.#sweptAt, now)) return
    this.#sweptAt = now
    this.#running = setImmediate()
      .then(() => (this.#isClosed ? undefined : this.#sweep()))
      .catch(() => {})
  }

  /** Waits for a sweep that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }
}
