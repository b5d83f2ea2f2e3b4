import { withTimeout } from "../base/timeout.js"
import type { AuthError } from "../errors/errors.js"

/** How long a request waits for an adapter, a store or a callback. A slower call is treated as failed. */
export const READ_TIMEOUT_MS = 5_000

/** Runs concurrent reads of the same key once, and shares the result. */
export interface SingleFlight<T> {
  /**
   * Runs `find`. If a read of the same key is in progress, returns its result instead.
   *
   * @throws the error of `find`, or a timeout error
   */
  read(key: string, find: () => Promise<T>): Promise<T>
  /** Stops later calls of `read` from joining a read in progress: the read of `key`, or without `key` all reads. */
  invalidate(key?: string): void
}

/**
 * Creates a single flight. Requests that a page sends at the same time share one query, and a database that does not
 * respond receives at most one query per key in 5 seconds. There are at most as many entries as concurrent requests.
 *
 * @param createTimeoutError creates the error for a read that takes too long
 */
export function createSingleFlight<T>(createTimeoutError: (seconds: number) => AuthError): SingleFlight<T> {
  const reads = new Map<string, Promise<T>>()
  const timeoutError = () => createTimeoutError(READ_TIMEOUT_MS / 1000)
  /** Starts a read. Later calls join it until it settles, or until `READ_TIMEOUT_MS` have passed since its start. */
  const start = (key: string, find: () => Promise<T>): Promise<T> => {
    const read = find()
    const remove = () => {
      clearTimeout(timer)
      if (reads.get(key) === read) reads.delete(key)
    }
    const timer = setTimeout(remove, READ_TIMEOUT_MS)
    timer.unref()
    reads.set(key, read)
    read.then(remove, remove)
    return read
  }
  return {
    read: (key, find) => withTimeout(reads.get(key) ?? start(key, find), READ_TIMEOUT_MS, timeoutError),
    invalidate(key) {
      if (key === undefined) reads.clear()
      else reads.delete(key)
    },
  }
}
