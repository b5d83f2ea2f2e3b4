import { withTimeout } from "../base/timeout.js"

/**
 * Runs work one at a time for each key, in the order of the calls. Aborted work that has not started does not run, and
 * aborted work that is running no longer delays the work after it.
 */
export type WithLock = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Creates a mutex for each key. Work waits at most `timeoutMs` for the previous work, which may never settle.
 *
 * @example
 * const withLock = createKeyedMutex(10_000)
 * await withLock("ada@example.com", () => createOrFindUser())
 */
export function createKeyedMutex(timeoutMs: number): WithLock {
  const last = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => {
    const run = async (): Promise<T> => {
      signal?.throwIfAborted()
      return work()
    }
    const previous = last.get(key)
    const result = previous ? withTimeout(previous, timeoutMs, "").then(run, run) : run()
    const released = new Promise<void>((resolve) => {
      const release = () => {
        signal?.removeEventListener("abort", release)
        if (last.get(key) === released) last.delete(key)
        resolve()
      }
      result.then(release, release)
      signal?.addEventListener("abort", release)
    })
    last.set(key, released)
    return result
  }
}
