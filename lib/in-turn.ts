import { withTimeout } from "./timeout.js"

/** Runs work in the order in which it came, one at a time for each key. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Makes turns. Nobody waits longer than `patienceMs` for the one before: what hangs must not lock everybody out.
 *
 * @example
 * const inTurn = createTurns(10_000)
 * await inTurn("ada@example.com", () => createOrFindUser())
 */
export function createTurns(patienceMs: number): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const mine = before ? withTimeout(before, patienceMs, "").then(work, work) : work()
    const settled = mine.then(
      () => {},
      () => {},
    )
    last.set(key, settled)
    try {
      return await mine
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
