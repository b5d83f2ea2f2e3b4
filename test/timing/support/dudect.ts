/**
 * Tests whether a function takes the same time for two kinds of input, by the method of "Dude, is my code constant
 * time?"
 * (Reparaz, Balasch, Verbauwhede, DATE 2017): Welch's t-test over measurements of both kinds in random order, with the
 * slowest measurements cropped at several bounds, because interruptions of the process are noise.
 *
 * @module
 */
import { randomInt } from "node:crypto"

/** The paper's threshold: a greater t means that the two kinds differ. */
export const LEAK = 4.5

const CROPPINGS = 20
/** Fewer measurements are not significant. */
const MIN_MEASUREMENTS = 1_000
const WARM_UP = 2_000
/** The number of inputs that are created at a time. */
const BATCH = 4_096

export interface Comparison {
  /** Two kinds of input; each call creates a new one. */
  readonly kinds: readonly [() => string, () => string]
  /** The measured function. */
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

/** Welch's t of the measurements up to a bound; 0 if there are too few. */
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

/** Cropping bounds, denser at the slow end, plus none, as in the paper's program. */
function boundsOf(times: Float64Array): number[] {
  const sorted = times.slice().sort()
  const shares = Array.from({ length: CROPPINGS }, (_, i) => 1 - 0.5 ** ((10 * (i + 1)) / CROPPINGS))
  return [...shares.map((share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0), Number.POSITIVE_INFINITY]
}

const copy = (text: string): string => Buffer.from(text).toString()

/**
 * The memory location of a string affects its time. Copying all inputs one after the other gives both kinds similar
 * locations, and measuring each input once prevents that a few locations repeat.
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

const ATTEMPTS = 5

/** The least t of up to five attempts. Noise from other processes varies, a leak appears every time. */
export async function leastLeakOf(comparison: Comparison): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least >= LEAK; attempt++)
    least = Math.min(least, await leakOf(comparison))
  return least
}
