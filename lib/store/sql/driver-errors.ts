/**
 * Recognises the errors of database drivers, and retries while SQLite is locked.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { createDeadline } from "../../base/timeout.js"
import { isError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"

/** How long `retryWhileBusy` retries. */
const BUSY_TIMEOUT_MS = 5_000
const BUSY_PAUSE_MS = 20

/** The members of driver errors that are read here. */
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

/** True for the error "no such table" of SQLite, PostgreSQL and MySQL. */
export function isMissingTable(error: unknown): boolean {
  if (!isDriverError(error)) return false
  const { code, errno, message } = error
  return code === "42P01" || errno === 1146 || /no such table|Table '.*' doesn't exist/.test(message)
}

/** True for the error "no such column" about one of `columns`, not about a column of the application. */
function isMissingColumn(error: unknown, columns: readonly string[]): boolean {
  if (!isDriverError(error)) return false
  const { code, errno, message } = error
  const isColumn = code === "42703" || errno === 1054 || /no such column|has no column named/.test(message)
  return isColumn && columns.some((column) => new RegExp(`\\b${column}\\b`).test(message))
}

const HINT = "(run adapter.migrate() or store.migrate(), or npx latchkey migrate)"

/**
 * Returns the error of a driver. If a table or one of `laterColumns` is missing, adds the message code
 * `schema-outdated` and the fix. `laterColumns` are the columns that later versions of the schema have added.
 */
export function addMigrationHint(error: unknown, laterColumns: readonly string[] = []): unknown {
  const converted = toErrorOfThisRealm(error)
  const isOutdated = isMissingTable(converted) || isMissingColumn(converted, laterColumns)
  if (!isError(converted) || !isOutdated || Reflect.has(converted, "messageCode")) return converted
  converted.message += ` ${HINT}`
  return Object.assign(converted, { messageCode: "schema-outdated" satisfies MessageCode })
}

/**
 * Converts an error of better-sqlite3 to an error of this realm. Jest runs each test file in its own realm, but these
 * errors are instances of the first test file's `Error`.
 */
function toErrorOfThisRealm(error: unknown): unknown {
  if (isError(error) || !isDriverError(error)) return error
  const { name, code, message, stack } = error
  return Object.assign(new Error(message, { cause: error }), { name, code, stack })
}

/** True for the SQLite error "database is locked", which means that another connection is writing. */
const isBusy = (error: unknown): boolean => isDriverError(error) && /^database (?:table )?is locked/.test(error.message)

/**
 * Runs `work`. Retries for up to 5 seconds while another connection writes to the SQLite file and `canRetry` returns
 * true. SQLite's own busy timeout would block the whole process, even if a transaction of this process holds the lock.
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
