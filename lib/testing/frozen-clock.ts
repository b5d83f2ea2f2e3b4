/** A span of time, in parts that add up. */
export interface Span {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

/** A clock that stands still until it is told to move; it is the function that `clock` in the configuration takes. */
export interface FrozenClock {
  /** The time in milliseconds since 1970. */
  (): number
  /** Moves on, or back with numbers below 0; gives the new time in milliseconds. */
  advance(span: Span): number
  /** Goes to a point in time; gives it in milliseconds. */
  set(at: Date | number | string): number
}

const UNIT_MS: Readonly<Record<keyof Span, number>> = {
  days: 24 * 60 * 60 * 1000,
  hours: 60 * 60 * 1000,
  minutes: 60 * 1000,
  seconds: 1000,
}

const isUnit = (name: string): name is keyof Span => Object.hasOwn(UNIT_MS, name)

function toMs(at: Date | number | string): number {
  const ms = new Date(at).getTime()
  if (Number.isNaN(ms))
    throw new TypeError(
      `frozenClock: ${JSON.stringify(at)} is no time. Write "2026-01-01T00:00Z", a Date or milliseconds`,
    )
  return ms
}

const noSpan = (given: string) => new TypeError(`frozenClock: advance(${given}) is no span. Write { minutes: 16 }`)

function lengthMs(span: Span): number {
  // A number has no parts: the clock would stand still, and a test of what ends would hold for nothing.
  if (typeof span !== "object") throw noSpan(String(span))
  const lengths = Object.entries(span).map(([unit, count]) => {
    if (isUnit(unit) && Number.isFinite(count)) return count * UNIT_MS[unit]
    throw noSpan(`{ ${unit}: ${String(count)} }`)
  })
  return lengths.reduce((sum, length) => sum + length, 0)
}

/**
 * A clock for tests: what depends on time happens when the test says so, and nobody waits.
 *
 * Browsers and their likes drop cookies by a clock of their own: begin with the present, as it does by itself, and go on
 * from there.
 *
 * @param at where it stands at first; text without a time zone is local time. @default now
 * @throws TypeError when that is no time
 * @example
 * const clock = frozenClock()
 * const app = express().use(authMiddleware({ ...config, clock }))
 * clock.advance({ days: 31 })
 */
export function frozenClock(at: Date | number | string = Date.now()): FrozenClock {
  let now = toMs(at)
  const move = (to: number): number => {
    now = to
    return now
  }
  return Object.assign(() => now, {
    advance: (span: Span) => move(toMs(now + lengthMs(span))),
    set: (to: Date | number | string) => move(toMs(to)),
  })
}
