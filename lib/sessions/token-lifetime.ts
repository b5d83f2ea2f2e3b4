import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"
import { readTokenStart } from "./absolute-timeout.js"
import { createAges, hasPersistentClaims } from "./persistence.js"

/** How long a cookie session lasts. */
export interface Lifetime {
  /** When the session expires if it is not used again. */
  readonly end: Date
  /** False if the browser deletes the cookie when it is closed. */
  readonly isPersistent: boolean
  /** The lifetime of the token in seconds; undefined if only `jwt.maxAge` limits it. */
  readonly maxAgeSeconds?: number | undefined
  /** With an absolute timeout: the session's start, in seconds since 1970. */
  readonly start?: number
}

/** Calculates how long cookie sessions last, and when their tokens are renewed. */
export interface TokenLifetime {
  /**
   * Returns the lifetime of a session with these claims, if its token is issued now. Claims without times are those of
   * a new session.
   */
  lifetimeOf(token: JWT): Lifetime
  /** True if the session's absolute timeout has passed. The idle timeout is checked when the token is decoded. */
  isPastAbsoluteTimeout(token: JWT): boolean
  /** True if the token is older than `updateAge`, or would be valid longer than the absolute timeout allows. */
  needsRenewal(token: JWT): boolean
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "updateAge">> & Pick<SessionOptions, "absoluteMaxAge">

const isOld = ({ iat }: JWT, updateAge: number, now: () => number): boolean =>
  typeof iat !== "number" || now() / 1000 - iat >= updateAge

/** Creates a `TokenLifetime` without an absolute timeout. By default there is none. */
function createIdleLifetime(options: Ages, now: () => number): TokenLifetime {
  const agesFor = createAges(options)
  return {
    lifetimeOf(token) {
      const isPersistent = hasPersistentClaims(token)
      const { maxAge } = agesFor(isPersistent)
      return {
        end: new Date(now() + maxAge * 1000),
        isPersistent,
        maxAgeSeconds: isPersistent ? undefined : maxAge,
      }
    },
    isPastAbsoluteTimeout: () => false,
    needsRenewal: (token) => isOld(token, agesFor(hasPersistentClaims(token)).updateAge, now),
  }
}

export function createTokenLifetime(options: Ages, now: () => number): TokenLifetime {
  const { absoluteMaxAge } = options
  const idle = createIdleLifetime(options, now)
  if (absoluteMaxAge === undefined) return idle
  const absoluteEndSeconds = (token: JWT) => readTokenStart(token, now()) + absoluteMaxAge
  return {
    lifetimeOf(token) {
      const { end, isPersistent, maxAgeSeconds = Infinity } = idle.lifetimeOf(token)
      const start = readTokenStart(token, now())
      const absoluteEnd = start + absoluteMaxAge
      return {
        end: new Date(Math.min(end.getTime(), absoluteEnd * 1000)),
        isPersistent,
        maxAgeSeconds: Math.min(maxAgeSeconds, absoluteEnd - Math.floor(now() / 1000)),
        start,
      }
    },
    isPastAbsoluteTimeout: (token) => absoluteEndSeconds(token) * 1000 <= now(),
    // A token that expires later than the absolute timeout was issued before the timeout was set or shortened.
    needsRenewal: (token) => idle.needsRenewal(token) || Number(token.exp) > absoluteEndSeconds(token),
  }
}
