import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"
import { readTokenStart } from "./absolute-timeout.js"
import { createAges, hasPersistentClaims } from "./persistence.js"

/** When a cookie session ends. */
export interface Lifetime {
  /** When the session expires if it is not used again. */
  readonly end: Date
  /** False if the cookie ends with the browser. */
  readonly isPersistent: boolean
  /** The lifetime of the token in seconds, if `jwt.maxAge` is not the only limit. */
  readonly maxAgeSeconds?: number | undefined
  /** With an absolute timeout: the session's start, in seconds since 1970. */
  readonly start?: number
}

/** How long cookie sessions last, and when a token is renewed. */
export interface TokenLifetime {
  /** The lifetime of a session with these claims; of a new session if they contain no times. */
  lifetimeOf(token: JWT): Lifetime
  /** True if the session's absolute timeout has passed. The idle timeout is checked when the token is decoded. */
  isPastAbsoluteTimeout(token: JWT): boolean
  needsRenewal(token: JWT): boolean
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "updateAge">> & Pick<SessionOptions, "absoluteMaxAge">

const isOld = ({ iat }: JWT, updateAge: number, now: () => number): boolean =>
  typeof iat !== "number" || now() / 1000 - iat >= updateAge

/** The lifetime without an absolute timeout, which is the default. */
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
    // A token that was issued before the absolute timeout was set or shortened would outlive it.
    needsRenewal: (token) => idle.needsRenewal(token) || Number(token.exp) > absoluteEndSeconds(token),
  }
}
