/**
 * How far answers to different people are apart in time, asked in random turn.
 *
 * @module
 */
import { randomInt } from "node:crypto"

const WARM_UP = 30
/** Looks, after which it is judged: most need one, and a busy machine gets as many more. All that was seen counts. */
const JUDGED_AFTER = [1, 5]

export interface Asking {
  /** Asks once for one of a kind; `number` counts up. */
  readonly ask: (kind: string, number: number) => Promise<unknown>
  readonly kinds: readonly string[]
  /** Of each kind, for each look. */
  readonly requests: number
  /** A distance that is small enough to look no more. */
  readonly enough: number
  /** How many of each kind are asked for at once: what runs beside is measured too. Else each waits for the one before. */
  readonly atOnce?: number
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

type Times = ReadonlyMap<string, number[]>

async function look({ ask, kinds, requests, atOnce }: Asking, times: Times): Promise<void> {
  const time = async (kind: string, number: number) => {
    const startedAt = performance.now()
    await ask(kind, number)
    times.get(kind)?.push(performance.now() - startedAt)
  }
  if (atOnce === undefined) {
    for (let number = 0; number < requests; number++) for (const kind of shuffled(kinds)) await time(kind, number)
    return
  }
  const turn = kinds.flatMap((kind) => Array.from({ length: atOnce }, (_, offset) => ({ kind, offset })))
  for (let first = 0; first < requests; first += atOnce)
    await Promise.all(shuffled(turn).map(({ kind, offset }) => time(kind, first + offset)))
}

const timesOf = (kinds: readonly string[]): Times => new Map(kinds.map((kind) => [kind, []]))

/**
 * The distance between the slowest kind's median and the fastest's, in parts of the fastest, of all that was seen. It is
 * looked at twice and not until it is small, which chance alone would bring about.
 */
export async function distanceOf(asking: Asking): Promise<number> {
  // The first ones pay for what is made once.
  await look({ ...asking, requests: WARM_UP }, timesOf(asking.kinds))
  const times = timesOf(asking.kinds)
  let distance = Number.POSITIVE_INFINITY
  let looks = 0
  for (const until of JUDGED_AFTER) {
    for (; looks < until; looks++) await look(asking, times)
    const medians = [...times.values()].map((found) => quantileOf(found, asking.quantile ?? 0.5))
    distance = (Math.max(...medians) - Math.min(...medians)) / Math.min(...medians)
    if (distance < asking.enough) return distance
  }
  return distance
}
