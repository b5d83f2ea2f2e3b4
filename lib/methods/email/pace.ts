import { randomInt } from "node:crypto"
import { setTimeout } from "node:timers/promises"

/** How long sending takes, so that where nothing is sent the answer takes as long: it must not tell who is known. */
export interface Pace {
  /** Does the work, and remembers how long it took. */
  measure<T>(work: () => Promise<T>): Promise<T>
  /** Waits as long as one of the last times. */
  wait(): Promise<void>
}

const REMEMBERED = 32
/** Before anything was sent. */
const FIRST_GUESS_MS = 200
/** How much of the last lateness goes into the mean. */
const WEIGHT = 1 / 8

export function createPace(): Pace {
  const seen: number[] = []
  /** By how much timers are late, on average. What was measured holds that already. */
  let lateness = 0
  return {
    async measure(work) {
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        seen.push(performance.now() - startedAt)
        if (seen.length > REMEMBERED) seen.shift()
      }
    },
    async wait() {
      const target = seen[randomInt(seen.length || 1)] ?? FIRST_GUESS_MS
      const asked = Math.max(0, target - lateness)
      const startedAt = performance.now()
      await setTimeout(asked)
      lateness += (performance.now() - startedAt - asked - lateness) * WEIGHT
    },
  }
}
