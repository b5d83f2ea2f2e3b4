import { withTimeout } from "../base/timeout.js"

/**
 * Runs `work` after all earlier calls with the same key have finished, and returns its result. When `signal` aborts,
 * the next call no longer waits for this call. `work` does not start after that, but work that is already running
 * continues.
 */
export type WithLock = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Creates a function that locks by key. A call waits at most `timeoutMs` for the previous call, whose work may never
 * settle.
 *
 * @example
 * const withLock = createKeyedMutex(10_000)
 * await withLock("ada@example.com", () => createOrFindUser())
 */
export function createKeyedMutex(timeoutMs: number): WithLock {
  const releases = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => {
    const run = async (): Promise<T> => {
      signal?.throwIfAborted()
      return work()
    }
    const previous = releases.get(key)
    const result = previous ? withTimeout(previous, timeoutMs, "").then(run, run) : run()
    const released = new Promise<void>((resolve) => {
      const release = () => {
        signal?.removeEventListener("abort", release)
        if (releases.get(key) === released) releases.delete(key)
        resolve()
      }
      result.then(release, release)
      signal?.addEventListener("abort", release)
    })
    releases.set(key, released)
    return result
  }
}
