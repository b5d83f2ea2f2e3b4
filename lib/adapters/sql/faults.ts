/**
 * What is done about failures of a database.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { isError } from "../../errors.js"

const BUSY_PATIENCE_MS = 5_000
const BUSY_PAUSE_MS = 20

/** "no such table" in the words of SQLite, PostgreSQL and MySQL. */
export function isMissingTable(error: unknown): error is Error {
  if (!isError(error)) return false
  const { code, errno } = Object(error)
  return code === "42P01" || errno === 1146 || /no such table|Table '.*' doesn't exist/.test(error.message)
}

/** The driver's error, and what to do when the tables were never made. */
export function withHint(error: unknown): unknown {
  if (isMissingTable(error) && !error.message.includes("latchkey migrate"))
    error.message += " (run adapter.migrate() or npx latchkey migrate)"
  return error
}

/** Is another connection writing to the SQLite file? */
const isBusy = (error: unknown): boolean => isError(error) && /^database (?:table )?is locked/.test(error.message)

/**
 * Tries again while another connection writes. SQLite's own waiting would stop the whole process, and with it a
 * transaction of this very process that it may be waiting for.
 */
export async function whenFree<T>(work: () => Promise<T>, mayRepeat = () => true): Promise<T> {
  const end = Date.now() + BUSY_PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || !mayRepeat() || Date.now() > end) throw error
      // Not in step with others who wait.
      await setTimeout(BUSY_PAUSE_MS * (1 + Math.random()))
    }
  }
}
