/**
 * The end that use does not put off: so long after the sign-in, however busy the session is (OWASP ASVS 7.3.2).
 *
 * Starts are whole seconds since 1970, as all times in a token (RFC 7519 §2).
 *
 * @module
 */
import type { JWT } from "../jwt.js"
import type { SessionOptions } from "../types.js"

/**
 * When a token's session began: what its claim says. One from before the option was set counts from when it was sealed.
 */
export function startOfToken({ session_start, iat }: JWT, nowMs: number): number {
  const now = Math.floor(nowMs / 1000)
  const start = [session_start, iat].find((time) => typeof time === "number")
  return start === undefined ? now : Math.min(start, now)
}

/** `<random>.<start in base 36>`: six digits until the year 2038, then seven. */
const STARTED = /\.([\da-z]{6,7})$/

/** By how much the clocks of an application's servers may differ. */
const SKEW_SECONDS = 60 * 60

/**
 * A token of a store with its session's start. An adapter keeps one time alone, the end, which use puts off; and whoever
 * writes another start has a token that the store does not know.
 */
export const withStart = (token: string, nowMs: number): string => `${token}.${Math.floor(nowMs / 1000).toString(36)}`

/** The start in a token of a store. One that is still to come is none: an application's own tokens may look like it. */
function startOfStored(token: string, nowMs: number): number | undefined {
  const start = Number.parseInt(STARTED.exec(token)?.[1] ?? "", 36)
  return start <= nowMs / 1000 + SKEW_SECONDS ? start : undefined
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "absoluteMaxAge">>

/**
 * When the session of a store's token is over for good, in milliseconds. One without a start was used for the last time
 * `maxAge` before it expires: it counts from there, and use does not put its expiry off any more.
 */
export function endOfStored(
  { token, expires }: { readonly token: string; readonly expires: Date },
  { maxAge, absoluteMaxAge }: Ages,
  nowMs: number,
): number {
  const start = startOfStored(token, nowMs)
  if (start !== undefined) return (start + absoluteMaxAge) * 1000
  return expires.getTime() + Math.min(0, absoluteMaxAge - maxAge) * 1000
}
