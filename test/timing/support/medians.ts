/**
 * How far answers to different people are apart in time, asked in random turn.
 *
 * @module
 */
import { randomInt } from "node:crypto"

const LOOKS = 5
const WARM_UP = 30

export interface Asking {
  /** Asks once for one of a kind; `number` counts up. */
  readonly ask: (kind: string, number: number) => Promise<unknown>
  readonly kinds: readonly string[]
  /** Of each kind. */
  readonly requests: number
  /** A distance that is small enough to look no more. */
  readonly enough: number
  /** Which of the times counts, from 0 to 1. Where others work too, the quicker ones are nearer to the truth. @default 0.5 */
  readonly quantile?: number
}

function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}

/** Nobody is always first (Fisher and Yates). */
function shuffled<T>(all: readonly T[]): T[] {
  const rest = [...all]
  return all.flatMap(() => rest.splice(randomInt(rest.length), 1))
}

/** One after the other: what runs beside would be measured too. */
async function look({ ask, kinds, requests, quantile = 0.5 }: Asking): Promise<number> {
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]))
  for (let i = -WARM_UP; i < requests; i++)
    for (const kind of shuffled(kinds)) {
      const startedAt = performance.now()
      await ask(kind, Math.abs(i))
      if (i >= 0) times.get(kind)?.push(performance.now() - startedAt)
    }
  const medians = [...times.values()].map((found) => quantileOf(found, quantile))
  return (Math.max(...medians) - Math.min(...medians)) / Math.min(...medians)
}

/**
 * The distance between the slowest kind's median and the fastest's, in parts of the fastest: the least of some looks,
 * as soon as one is good.
 */
export async function distanceOf(asking: Asking): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < LOOKS && least >= asking.enough; i++) least = Math.min(least, await look(asking))
  return least
}
