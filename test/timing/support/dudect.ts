/**
 * Does it take as long for one kind of input as for another? The test of "Dude, is my code constant time?" (Reparaz,
 * Balasch, Verbauwhede, DATE 2017): Welch's t over measurements of both kinds in random order, with the slowest left
 * out in many ways, because what interrupts a process is slow and tells nothing.
 *
 * @module
 */
import { randomInt } from "node:crypto"

/** Beyond it two kinds differ, says the paper. */
export const LEAK = 4.5

const CROPPINGS = 20
/** Fewer say nothing. */
const MIN_MEASUREMENTS = 1_000
const WARM_UP = 2_000
/** Inputs that are made at one time. */
const BATCH = 4_096

export interface Comparison {
  /** Two kinds of input, made anew by each call. */
  readonly kinds: readonly [() => string, () => string]
  /** What is measured. */
  readonly compare: (input: string) => unknown
  readonly measurements: number
}

interface Sample {
  count: number
  mean: number
  /** The sum of squared distances from the mean, by Welford's method. */
  squares: number
}

function add(sample: Sample, value: number): void {
  sample.count++
  const distance = value - sample.mean
  sample.mean += distance / sample.count
  sample.squares += distance * (value - sample.mean)
}

const errorOf = ({ count, squares }: Sample): number => squares / (count - 1) / count

function welch([one, other]: readonly [Sample, Sample]): number {
  const error = Math.sqrt(errorOf(one) + errorOf(other))
  return error === 0 ? 0 : Math.abs(one.mean - other.mean) / error
}

interface Measured {
  readonly times: Float64Array
  readonly kinds: Uint8Array
}

/** The t of what lies below a bound; 0 when that is too little. */
function croppedT({ times, kinds }: Measured, bound: number): number {
  const samples = [0, 1].map((): Sample => ({ count: 0, mean: 0, squares: 0 }))
  times.forEach((time, index) => {
    const sample = samples[kinds[index] ?? 0]
    if (sample && time <= bound) add(sample, time)
  })
  const [one, other] = samples
  if (!one || !other || Math.min(one.count, other.count) < MIN_MEASUREMENTS) return 0
  return welch([one, other])
}

/** Bounds that lie ever closer at the slow end, and none, as in the paper's program. */
function boundsOf(times: Float64Array): number[] {
  const sorted = times.slice().sort()
  const shares = Array.from({ length: CROPPINGS }, (_, i) => 1 - 0.5 ** ((10 * (i + 1)) / CROPPINGS))
  return [...shares.map((share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0), Number.POSITIVE_INFINITY]
}

const copy = (text: string): string => Buffer.from(text).toString()

/**
 * Where a text lies in memory is seen in its time. So all are copied one after the other, or those of one kind would lie
 * beside what was left of making them; and each is measured once, or the few that come again would tell their places.
 */
function inputsOf(kinds: Uint8Array, [one, other]: Comparison["kinds"]): string[] {
  return Array.from(kinds, (kind) => (kind === 1 ? other() : one())).map(copy)
}

const randomKinds = (count: number) => new Uint8Array(count).map(() => randomInt(2))

async function measure({ kinds, compare, measurements }: Comparison): Promise<Measured> {
  const measured = { times: new Float64Array(measurements), kinds: randomKinds(measurements) }
  for (const input of inputsOf(randomKinds(WARM_UP), kinds)) await compare(input)
  for (let begin = 0; begin < measurements; begin += BATCH)
    for (const [i, input] of inputsOf(measured.kinds.subarray(begin, begin + BATCH), kinds).entries()) {
      const startedAt = performance.now()
      const outcome = compare(input)
      if (outcome instanceof Promise) await outcome
      measured.times[begin + i] = performance.now() - startedAt
    }
  return measured
}

/** The greatest t over all croppings. */
export async function leakOf(comparison: Comparison): Promise<number> {
  const measured = await measure(comparison)
  return Math.max(...boundsOf(measured.times).map((bound) => croppedT(measured, bound)))
}

const LOOKS = 5

/** The least of some looks, as soon as one is good: a neighbour on this machine is there once, a leak every time. */
export async function leastLeakOf(comparison: Comparison): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < LOOKS && least >= LEAK; look++) least = Math.min(least, await leakOf(comparison))
  return least
}
