/**
 * Handles database errors.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { createDeadline } from "../../base/timeout.js"
import { isError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"

const BUSY_TIMEOUT_MS = 5_000
const BUSY_PAUSE_MS = 20

/** The shape of driver errors. */
interface DriverError {
  readonly message: string
  readonly stack: string
  readonly name?: unknown
  readonly code?: unknown
  readonly errno?: unknown
}

const isDriverError = (error: unknown): error is DriverError => {
  const { message, stack } = Object(error)
  return typeof message === "string" && typeof stack === "string"
}

/** "No such table" in SQLite, PostgreSQL and MySQL. */
export function isMissingTable(error: unknown): boolean {
  if (!isDriverError(error)) return false
  const { code, errno, message } = error
  return code === "42P01" || errno === 1146 || /no such table|Table '.*' doesn't exist/.test(message)
}

/** "No such column", for one of the given columns. The application's own columns are not considered. */
function isMissingColumn(error: unknown, columns: readonly string[]): boolean {
  if (!isDriverError(error)) return false
  const { code, errno, message } = error
  const isColumn = code === "42703" || errno === 1054 || /no such column|has no column named/.test(message)
  return isColumn && columns.some((column) => new RegExp(`\\b${column}\\b`).test(message))
}

const HINT = "(run adapter.migrate() or npx latchkey migrate)"

/**
 * The driver's error. If the tables or one of the columns of a later version are missing, it gets the code
 * `schema-outdated`, and the fix.
 */
export function withHint(error: unknown, laterColumns: readonly string[] = []): unknown {
  const converted = toErrorOfThisRealm(error)
  const isOutdated = isMissingTable(converted) || isMissingColumn(converted, laterColumns)
  if (!isError(converted) || !isOutdated || Reflect.has(converted, "messageCode")) return converted
  converted.message += ` ${HINT}`
  return Object.assign(converted, { messageCode: "schema-outdated" satisfies MessageCode })
}

/**
 * better-sqlite3 has one error class per process. Under Jest, where each test file has its own realm, these errors are
 * instances of the first file's `Error` only.
 */
function toErrorOfThisRealm(error: unknown): unknown {
  if (isError(error) || !isDriverError(error)) return error
  const { name, code, message, stack } = error
  return Object.assign(new Error(message, { cause: error }), { name, code, stack })
}

/** Whether another connection is writing to the SQLite file. */
const isBusy = (error: unknown): boolean => isDriverError(error) && /^database (?:table )?is locked/.test(error.message)

/**
 * Retries while another connection writes. SQLite's own waiting would block the whole process, including a transaction
 * of this process that holds the lock.
 */
export async function retryWhileBusy<T>(work: () => Promise<T>, canRetry = () => true): Promise<T> {
  const isExpired = createDeadline(BUSY_TIMEOUT_MS)
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || !canRetry() || isExpired()) throw error
      // Jitter, so that waiting processes do not retry at the same time.
      await setTimeout(BUSY_PAUSE_MS * (1 + Math.random()))
    }
  }
}
