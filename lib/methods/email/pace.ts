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

export function createPace(): Pace {
  const seen: number[] = []
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
    wait: () => setTimeout(seen.length > 0 ? seen[randomInt(seen.length)] : FIRST_GUESS_MS),
  }
}
