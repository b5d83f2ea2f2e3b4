import { withTimeout } from "../base/timeout.js"

/**
 * Runs `work` after all earlier calls with the same key have finished, and returns its result. When `signal` aborts,
 * the next call no longer waits for this call, but still for the earlier ones. After the abort `work` does not start,
 * but work that is already running continues.
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
    const turn = previous && withTimeout(previous, timeoutMs, "").catch(() => {})
    const result = turn ? turn.then(run) : run()
    const released = new Promise<void>((resolve) => {
      // A call that is aborted while it waits must not let the next call run beside the previous one.
      const abort = () => resolve(turn)
      const release = () => {
        signal?.removeEventListener("abort", abort)
        resolve()
      }
      result.then(release, release)
      signal?.addEventListener("abort", abort, { once: true })
    })
    releases.set(key, released)
    void released.then(() => {
      if (releases.get(key) === released) releases.delete(key)
    })
    return result
  }
}
