/**
 * What is done about failures of a database.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { isError } from "../../errors.js"
import { createDeadline } from "../../timeout.js"
import { ADDED_COLUMNS } from "./tables.js"

const BUSY_PATIENCE_MS = 5_000
const BUSY_PAUSE_MS = 20

/** What drivers throw, by its shape. */
interface Fault {
  readonly message: string
  readonly stack: string
  readonly name?: unknown
  readonly code?: unknown
  readonly errno?: unknown
}

const isFault = (error: unknown): error is Fault => {
  const { message, stack } = Object(error)
  return typeof message === "string" && typeof stack === "string"
}

/** "no such table" in the words of SQLite, PostgreSQL and MySQL. */
export function isMissingTable(error: unknown): boolean {
  if (!isFault(error)) return false
  const { code, errno, message } = error
  return code === "42P01" || errno === 1146 || /no such table|Table '.*' doesn't exist/.test(message)
}

/** "No such column", for one that a later version of the tables has; an application's own are its own affair. */
function isMissingColumn(error: unknown): boolean {
  if (!isFault(error)) return false
  const { code, errno, message } = error
  const isColumn = code === "42703" || errno === 1054 || /no such column|has no column named/.test(message)
  return isColumn && ADDED_COLUMNS.some((column) => new RegExp(`\\b${column}\\b`).test(message))
}

const HINT = "(run adapter.migrate() or npx latchkey migrate)"

/** The driver's error, and what to do when the tables were never made, or are of an earlier version. */
export function withHint(error: unknown): unknown {
  const told = inThisRealm(error)
  const isBehind = isMissingTable(told) || isMissingColumn(told)
  if (isError(told) && isBehind && !told.message.includes(HINT)) told.message += ` ${HINT}`
  return told
}

/**
 * better-sqlite3 keeps the class of its errors for the whole process. Under Jest, where each file has a realm of its
 * own, they are then an `Error` of the first file only, and neither `expect` nor anybody else knows them.
 */
function inThisRealm(error: unknown): unknown {
  if (isError(error) || !isFault(error)) return error
  const { name, code, message, stack } = error
  return Object.assign(new Error(message, { cause: error }), { name, code, stack })
}

/** Is another connection writing to the SQLite file? */
const isBusy = (error: unknown): boolean => isFault(error) && /^database (?:table )?is locked/.test(error.message)

/**
 * Tries again while another connection writes. SQLite's own waiting would stop the whole process, and with it a
 * transaction of this very process that it may be waiting for.
 */
export async function whenFree<T>(work: () => Promise<T>, mayRepeat = () => true): Promise<T> {
  const isOver = createDeadline(BUSY_PATIENCE_MS)
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || !mayRepeat() || isOver()) throw error
      // Not in step with others who wait.
      await setTimeout(BUSY_PAUSE_MS * (1 + Math.random()))
    }
  }
}
