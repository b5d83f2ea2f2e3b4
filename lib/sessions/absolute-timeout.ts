/**
 * The absolute timeout: a session ends `absoluteMaxAge` seconds after the sign-in, however often it is used
 * (OWASP ASVS 7.3.2).
 *
 * Start times are whole seconds since 1970, as all times in a JWT (RFC 7519 §2).
 *
 * @module
 */

import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"

/** When the session of a token began: `session_start`, or `iat` if the token was sealed before the option was set. */
export function readTokenStart({ session_start, iat }: JWT, nowMs: number): number {
  const now = Math.floor(nowMs / 1000)
  const start = [session_start, iat].find((time) => typeof time === "number")
  return start === undefined ? now : Math.min(start, now)
}

/** `<random>.<start in base 36>`: six digits until the year 2038, then seven. */
const START_SUFFIX = /\.([\da-z]{6,7})$/

/** How much the clocks of an application's servers may differ. */
const SKEW_SECONDS = 60 * 60

/**
 * Appends the session's start to the token of a database session, because an adapter stores only the expiry, which
 * changes when the session is extended. A client can't change the start: the adapter has no session with that token.
 */
export const withIssuedAt = (token: string, nowMs: number): string =>
  `${token}.${Math.floor(nowMs / 1000).toString(36)}`

/** The start in a database session's token. A future time is ignored, because it is part of an application's own token. */
function readStoredStart(token: string, nowMs: number): number | undefined {
  const start = Number.parseInt(START_SUFFIX.exec(token)?.[1] ?? "", 36)
  return start <= nowMs / 1000 + SKEW_SECONDS ? start : undefined
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "absoluteMaxAge">>

/**
 * The absolute expiry of a database session, in milliseconds. If its token has no start, the timeout counts from its
 * last use, `maxAge` before it expires; the result is never later than `expires`, so use does not extend the session.
 */
export function absoluteExpiry(
  { token, expires }: { readonly token: string; readonly expires: Date },
  { maxAge, absoluteMaxAge }: Ages,
  nowMs: number,
): number {
  const start = readStoredStart(token, nowMs)
  if (start !== undefined) return (start + absoluteMaxAge) * 1000
  return expires.getTime() + Math.min(0, absoluteMaxAge - maxAge) * 1000
}
