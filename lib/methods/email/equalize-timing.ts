import { randomInt } from "node:crypto"
import { setTimeout } from "node:timers/promises"

/**
 * Delays the response if no email is sent, for as long as sending usually takes. Otherwise the response time would
 * reveal whether an address was refused.
 */
export interface TimingEqualizer {
  /** Runs the work and records its duration. */
  measure<T>(work: () => Promise<T>): Promise<T>
  /** Waits for one of the recorded durations, chosen at random. */
  wait(): Promise<void>
}

/** The number of durations that are kept. */
const MAX_DURATIONS = 32
/** The duration that `wait` uses until one is recorded. */
const FIRST_GUESS_MS = 200
/** The weight of the latest timer delay in the moving average. */
const WEIGHT = 1 / 8

export function createTimingEqualizer(): TimingEqualizer {
  const durations: number[] = []
  /** The average time by which timers fire too late. It is subtracted from the wait, because a timer adds it. */
  let timerDelay = 0
  return {
    async measure(work) {
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        durations.push(performance.now() - startedAt)
        if (durations.length > MAX_DURATIONS) durations.shift()
      }
    },
    async wait() {
      const target = durations[randomInt(durations.length || 1)] ?? FIRST_GUESS_MS
      const pause = Math.max(0, target - timerDelay)
      const startedAt = performance.now()
      await setTimeout(pause)
      timerDelay += (performance.now() - startedAt - pause - timerDelay) * WEIGHT
    },
  }
}
