/**
 * Deleting what has ended.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises"
import { quoted } from "./schema.js"
import { run, type Store } from "./store.js"

/** Few enough that nobody has to wait long for the rows, or for SQLite. */
const BATCH = 500

const PAUSE_MS = 10 * 60_000

/** Deletes the rows that ended first, up to a batch, and says how many there were. */
async function deleteBatch(store: Store, table: string, key: string): Promise<number> {
  const { dialect } = store
  const name = quoted(table, dialect)
  const now = store.now()
  if (dialect === "mysql") {
    const { numAffectedRows } = await run(
      store,
      `DELETE FROM ${name} WHERE expires < ? ORDER BY expires LIMIT ${BATCH}`,
      [now],
    )
    return Number(numAffectedRows)
  }
  const [first, second, skip] = dialect === "postgres" ? ["$1", "$2", " FOR UPDATE SKIP LOCKED"] : ["?", "?", ""]
  const ended = `SELECT ${key} FROM ${name} WHERE expires < ${second} ORDER BY expires LIMIT ${BATCH}${skip}`
  // Asked again, because a session may have been prolonged since it was found.
  const statement = `DELETE FROM ${name} WHERE expires < ${first} AND (${key}) IN (${ended})`
  return Number((await run(store, statement, [now, now])).numAffectedRows)
}

async function deleteEnded(store: Store, table: string, key: string): Promise<number> {
  let total = 0
  for (;;) {
    const count = await deleteBatch(store, table, key)
    total += count
    if (count < BATCH) return total
    await setImmediate()
  }
}

/** Deletes ended sessions and links, and says how many there were. */
export async function sweepStore(store: Store): Promise<number> {
  const { sessions, verificationTokens } = store.names
  const ended = await deleteEnded(store, sessions, "token_hash")
  return ended + (await deleteEnded(store, verificationTokens, "identifier, token"))
}

/** Sweeps now and then, beside what others do. */
export class Sweeper {
  readonly #sweep: () => Promise<unknown>
  readonly #now: () => number
  #nextAt = Number.NEGATIVE_INFINITY
  #running: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(sweep: () => Promise<unknown>, now: () => number) {
    this.#sweep = sweep
    this.#now = now
  }

  /** Begins to sweep when it is time. Never fails and is not waited for: what remains is swept the next time. */
  remind(): void {
    const now = this.#now()
    if (this.#isClosed || now < this.#nextAt) return
    this.#nextAt = now + PAUSE_MS
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
