/**
 * Measures the difference of response times between kinds of requests, which are sent in random order.
 *
 * @module
 */
import { randomInt } from "node:crypto"

const WARM_UP = 30
/** The numbers of rounds after which the result is evaluated. A busy machine needs more rounds. All rounds count. */
const EVALUATED_AFTER = [1, 5]

export interface Asking {
  /** Sends one request of a kind. `number` counts up. */
  readonly ask: (kind: string, number: number) => Promise<unknown>
  readonly kinds: readonly string[]
  /** The number of requests per kind and round. */
  readonly requests: number
  /** Stops if the distance is smaller. */
  readonly enough: number
  /** The number of concurrent requests per kind. Without it requests are sequential. */
  readonly atOnce?: number
  /** The quantile that is compared, from 0 to 1. On a busy machine a low quantile is more precise. @default 0.5 */
  readonly quantile?: number
}

function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}

/** A random order (Fisher and Yates). */
function shuffled<T>(all: readonly T[]): T[] {
  const rest = [...all]
  return all.flatMap(() => rest.splice(randomInt(rest.length), 1))
}

type Times = ReadonlyMap<string, number[]>

async function runRound({ ask, kinds, requests, atOnce }: Asking, times: Times): Promise<void> {
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
 * The difference between the medians of the slowest and the fastest kind, relative to the fastest. It is evaluated at
 * most twice: repeating until it is small would succeed by chance.
 */
export async function distanceOf(asking: Asking): Promise<number> {
  // Warm-up: the first requests include one-time work.
  await runRound({ ...asking, requests: WARM_UP }, timesOf(asking.kinds))
  const times = timesOf(asking.kinds)
  let distance = Number.POSITIVE_INFINITY
  let rounds = 0
  for (const until of EVALUATED_AFTER) {
    for (; rounds < until; rounds++) await runRound(asking, times)
    const medians = [...times.values()].map((found) => quantileOf(found, asking.quantile ?? 0.5))
    distance = (Math.max(...medians) - Math.min(...medians)) / Math.min(...medians)
    if (distance < asking.enough) return distance
  }
  return distance
}
