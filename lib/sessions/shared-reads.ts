import type { AuthError } from "../errors.js"
import { withTimeout } from "../timeout.js"

/** A page waits for a read of a session: what takes longer is a store, or a function of the application, in trouble. */
export const READ_TIMEOUT_MS = 5_000

/** Reads of sessions, each done once however many ask for it at the same time. */
export interface SharedReads<T> {
  /**
   * What `find` gives, or a read of the same key that is under way.
   *
   * @throws what `find` throws, and another error when it takes too long
   */
  read(key: string, find: () => Promise<T>): Promise<T>
  /** Lets no read that is under way, of one key or of all, answer whoever asks from now on. */
  forget(key?: string): void
}

/**
 * Shares reads under way: a page's many requests, or a store that hangs, take one query. Bounded by the requests there
 * are. `tooLate` makes the error of those who have waited in vain.
 */
export function createSharedReads<T>(tooLate: (seconds: number) => AuthError): SharedReads<T> {
  const reads = new Map<string, Promise<T>>()
  const late = () => tooLate(READ_TIMEOUT_MS / 1000)
  /** Begins a read that others share until it is over, or the first of them is answered without it. */
  const begin = (key: string, find: () => Promise<T>): Promise<T> => {
    const read = find()
    const forget = () => {
      clearTimeout(timer)
      if (reads.get(key) === read) reads.delete(key)
    }
    const timer = setTimeout(forget, READ_TIMEOUT_MS)
    timer.unref()
    reads.set(key, read)
    read.then(forget, forget)
    return read
  }
  return {
    read: (key, find) => withTimeout(reads.get(key) ?? begin(key, find), READ_TIMEOUT_MS, late),
    forget(key) {
      if (key === undefined) reads.clear()
      else reads.delete(key)
    },
  }
}
