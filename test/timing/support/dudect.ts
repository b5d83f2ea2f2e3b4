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
/** Of each kind. */
const INPUTS = 512

export interface Comparison<T> {
  /** Two kinds of input, made anew by each call. */
  readonly kinds: readonly [() => T, () => T]
  /** What is measured. */
  readonly compare: (input: T) => unknown
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

/** Inputs of both kinds, made in turn so that both lie in the same parts of memory. */
function inputsOf<T>({ kinds: [one, other] }: Comparison<T>): readonly [T[], T[]] {
  const inputs: [T[], T[]] = [[], []]
  for (let i = 0; i < INPUTS; i++) {
    inputs[0].push(one())
    inputs[1].push(other())
  }
  return inputs
}

async function measure<T>(comparison: Comparison<T>): Promise<Measured> {
  const { compare, measurements } = comparison
  const inputs = inputsOf(comparison)
  const times = new Float64Array(measurements)
  const kinds = new Uint8Array(measurements).map(() => randomInt(2))
  for (let i = -WARM_UP; i < measurements; i++) {
    const kind = i < 0 ? i & 1 : kinds[i]
    const input = inputs[kind === 1 ? 1 : 0][(i + WARM_UP) % INPUTS] as T // never beyond its end
    const startedAt = performance.now()
    const outcome = compare(input)
    if (outcome instanceof Promise) await outcome
    if (i >= 0) times[i] = performance.now() - startedAt
  }
  return { times, kinds }
}

/** The greatest t over all croppings. */
export async function leakOf<T>(comparison: Comparison<T>): Promise<number> {
  const measured = await measure(comparison)
  return Math.max(...boundsOf(measured.times).map((bound) => croppedT(measured, bound)))
}

const LOOKS = 5

/** The least of some looks, as soon as one is good: a neighbour on this machine is there once, a leak every time. */
export async function leastLeakOf<T>(comparison: Comparison<T>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < LOOKS && least >= LEAK; look++) least = Math.min(least, await leakOf(comparison))
  return least
}
