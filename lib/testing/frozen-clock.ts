import { inspect } from "node:util"
import { isPlainObject } from "../base/merge.js"

/** A duration: the sum of its members. */
export interface Span {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

/** A clock for the option `clock`. It moves only when a test advances or sets it. */
export interface FrozenClock {
  /** The time in milliseconds since 1970. */
  (): number
  /** Moves the clock forward, or back with negative numbers. Returns the new time in milliseconds. */
  advance(span: Span): number
  /** Sets the clock. Returns the new time in milliseconds. */
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
      `frozenClock: ${JSON.stringify(at)} is not a valid time. Write "2026-01-01T00:00Z", a Date or milliseconds`,
    )
  return ms
}

const invalidSpan = (argument: string) =>
  new TypeError(`frozenClock: advance(${argument}) is not a valid duration. Write { minutes: 16 }`)

function lengthMs(span: Span): number {
  // Object.entries of a number or a list may be empty: the clock would not move, and a test could pass by mistake.
  if (!isPlainObject(span)) throw invalidSpan(inspect(span))
  const lengths = Object.entries(span).map(([unit, count]) => {
    if (isUnit(unit) && typeof count === "number" && Number.isFinite(count)) return count * UNIT_MS[unit]
    throw invalidSpan(`{ ${unit}: ${String(count)} }`)
  })
  return lengths.reduce((sum, length) => sum + length, 0)
}

/**
 * Creates a clock for tests, which advance the time instead of waiting.
 *
 * Browsers and test agents expire cookies by the system clock, so start at the current time (the default), and only
 * advance the clock.
 *
 * @param at the initial time. A string without a time zone is local time. @default now
 * @throws TypeError when the time is invalid
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
