import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"
import { readTokenStart } from "./absolute-timeout.js"

/** When a cookie session ends. */
export interface Lifetime {
  /** When the session expires if it is not used again. */
  readonly end: Date
  /** With an absolute timeout: the session's start, and the seconds until the timeout. */
  readonly absolute?: { readonly start: number; readonly secondsLeft: number }
}

/** How long cookie sessions last, and when a token is renewed. */
export interface TokenLifetime {
  /** The lifetime of a session with these claims; of a new session if they are empty. */
  lifetimeOf(token: JWT): Lifetime
  /** True if the session's absolute timeout has passed. The idle timeout is checked when the token is decoded. */
  isPastAbsoluteTimeout(token: JWT): boolean
  needsRenewal(token: JWT): boolean
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "updateAge">> & Pick<SessionOptions, "absoluteMaxAge">

const isOld = ({ iat }: JWT, updateAge: number, now: () => number): boolean =>
  typeof iat !== "number" || now() / 1000 - iat >= updateAge

/** The lifetime without an absolute timeout, which is the default. */
const createIdleLifetime = ({ maxAge, updateAge }: Ages, now: () => number): TokenLifetime => ({
  lifetimeOf: () => ({ end: new Date(now() + maxAge * 1000) }),
  isPastAbsoluteTimeout: () => false,
  needsRenewal: (token) => isOld(token, updateAge, now),
})

export function createTokenLifetime(ages: Ages, now: () => number): TokenLifetime {
  const { maxAge, updateAge, absoluteMaxAge } = ages
  if (absoluteMaxAge === undefined) return createIdleLifetime(ages, now)
  const absoluteEndSeconds = (token: JWT) => readTokenStart(token, now()) + absoluteMaxAge
  return {
    lifetimeOf(token) {
      const start = readTokenStart(token, now())
      const absoluteEnd = start + absoluteMaxAge
      const end = new Date(Math.min(now() + maxAge * 1000, absoluteEnd * 1000))
      return { end, absolute: { start, secondsLeft: absoluteEnd - Math.floor(now() / 1000) } }
    },
    isPastAbsoluteTimeout: (token) => absoluteEndSeconds(token) * 1000 <= now(),
    // A token that was issued before the absolute timeout was set or shortened would outlive it.
    needsRenewal: (token) => isOld(token, updateAge, now) || Number(token.exp) > absoluteEndSeconds(token),
  }
}
