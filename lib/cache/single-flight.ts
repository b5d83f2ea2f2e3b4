import { withTimeout } from "../base/timeout.js"
import type { AuthError } from "../errors/errors.js"

/** How long a request waits for a session read. A slower adapter or callback is treated as failed. */
export const READ_TIMEOUT_MS = 5_000

/** Shares session reads: concurrent reads of the same key run once. */
export interface SingleFlight<T> {
  /**
   * Runs `find`, or joins the read of the same key that is in progress.
   *
   * @throws the error of `find`, or a timeout error
   */
  read(key: string, find: () => Promise<T>): Promise<T>
  /** Stops later requests from joining the reads in progress, of one key or of all. */
  invalidate(key?: string): void
}

/**
 * Shares reads in progress, so that a page's many requests, or a database that does not respond, cause one query. There
 * are at most as many entries as concurrent requests. `createTimeoutError` creates the error of a read that takes too
 * long.
 */
export function createSingleFlight<T>(createTimeoutError: (seconds: number) => AuthError): SingleFlight<T> {
  const reads = new Map<string, Promise<T>>()
  const timeoutError = () => createTimeoutError(READ_TIMEOUT_MS / 1000)
  /** Starts a read that others join until it settles or the time limit of the first caller has passed. */
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
