import { withTimeout } from "./timeout.js"

/**
 * Runs work in the order in which it came, one at a time for each key. Work whose signal is aborted delays no other work,
 * and does not begin.
 */
export type InTurn = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Creates a mutex for each key. Work waits at most `patienceMs` for the work before it, which may hang.
 *
 * @example
 * const inTurn = createTurns(10_000)
 * await inTurn("ada@example.com", () => createOrFindUser())
 */
export function createTurns(patienceMs: number): InTurn {
  const last = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => {
    const begin = async (): Promise<T> => {
      signal?.throwIfAborted()
      return work()
    }
    const before = last.get(key)
    const mine = before ? withTimeout(before, patienceMs, "").then(begin, begin) : begin()
    const over = new Promise<void>((resolve) => {
      const end = () => {
        signal?.removeEventListener("abort", end)
        if (last.get(key) === over) last.delete(key)
        resolve()
      }
      mine.then(end, end)
      signal?.addEventListener("abort", end)
    })
    last.set(key, over)
    return mine
  }
}
