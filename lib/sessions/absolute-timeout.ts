/**
 * The absolute timeout: a session ends `absoluteMaxAge` seconds after the sign-in, however often it is used (OWASP ASVS
 * 7.3.2).
 *
 * Start times are in whole seconds since 1970, like the times in a JWT (RFC 7519 §2).
 *
 * @module
 */

import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"

/**
 * Returns when the session of a token began: the claim `session_start`, or `iat` if the token was issued before
 * `absoluteMaxAge` was set. Returns the current time if neither claim exists, or if the start is in the future.
 */
export function readTokenStart({ session_start, iat }: JWT, nowMs: number): number {
  const now = Math.floor(nowMs / 1000)
  const start = [session_start, iat].find((time) => typeof time === "number")
  return start === undefined ? now : Math.min(start, now)
}

/** The start of the session at the end of a token, in base 36: six digits until the year 2038, then seven. */
const START_SUFFIX = /\.([\da-z]{6,7})$/

/** How far a start may be in the future, because the clocks of an application's servers may differ. */
const SKEW_SECONDS = 60 * 60

/**
 * Appends the session's start to the token of a database session. An adapter stores only the expiry, which changes
 * whenever the session is extended. A client can't change the start, because the adapter has no session with the
 * changed token.
 */
export const appendStart = (token: string, nowMs: number): string => `${token}.${Math.floor(nowMs / 1000).toString(36)}`

/**
 * Returns the start in a database session's token; undefined if there is none. A time more than `SKEW_SECONDS` in the
 * future is not a start. The suffix then belongs to a token that the application has generated.
 */
function readAppendedStart(token: string, nowMs: number): number | undefined {
  const start = Number.parseInt(START_SUFFIX.exec(token)?.[1] ?? "", 36)
  return start <= nowMs / 1000 + SKEW_SECONDS ? start : undefined
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "absoluteMaxAge">>

/**
 * Returns the absolute expiry of a database session, in milliseconds since 1970. A token that was created before the
 * option was set contains no start. The session was then last extended `maxAge` before `expires`, and its absolute
 * expiry is `absoluteMaxAge` after this extension, but at most `expires`. So the session is not extended again.
 */
export function absoluteExpiry(
  { token, expires }: { readonly token: string; readonly expires: Date },
  { maxAge, absoluteMaxAge }: Ages,
  nowMs: number,
): number {
  const start = readAppendedStart(token, nowMs)
  if (start !== undefined) return (start + absoluteMaxAge) * 1000
  return expires.getTime() + Math.min(0, absoluteMaxAge - maxAge) * 1000
}
