import type { JWT } from "../jwt.js"
import type { SessionOptions } from "../types.js"
import { startOfToken } from "./absolute-end.js"

/** From when until when the session of a cookie lasts. */
export interface Life {
  /** Unless it is used again. */
  readonly end: Date
  /** With an absolute end: when the session began, and for how many seconds a cookie can be good that is sealed now. */
  readonly absolute?: { readonly start: number; readonly secondsLeft: number }
}

/** How long sessions in cookies last, and when a cookie is to be renewed. */
export interface TokenLife {
  /** Of a session that goes on; of one that begins, with no claims. */
  of(token: JWT): Life
  /** Has it come to its absolute end? The end that use puts off is looked at where the cookie is opened. */
  isOver(token: JWT): boolean
  isDue(token: JWT): boolean
}

type Ages = Required<Pick<SessionOptions, "maxAge" | "updateAge">> & Pick<SessionOptions, "absoluteMaxAge">

const isOld = ({ iat }: JWT, updateAge: number, now: () => number): boolean =>
  typeof iat !== "number" || now() / 1000 - iat >= updateAge

/** Without an absolute end, as most applications have it: nothing of it costs a request anything. */
const createEndless = ({ maxAge, updateAge }: Ages, now: () => number): TokenLife => ({
  of: () => ({ end: new Date(now() + maxAge * 1000) }),
  isOver: () => false,
  isDue: (token) => isOld(token, updateAge, now),
})

export function createTokenLife(ages: Ages, now: () => number): TokenLife {
  const { maxAge, updateAge, absoluteMaxAge } = ages
  if (absoluteMaxAge === undefined) return createEndless(ages, now)
  const lastSecondOf = (token: JWT) => startOfToken(token, now()) + absoluteMaxAge
  return {
    of(token) {
      const start = startOfToken(token, now())
      const last = start + absoluteMaxAge
      const end = new Date(Math.min(now() + maxAge * 1000, last * 1000))
      return { end, absolute: { start, secondsLeft: last - Math.floor(now() / 1000) } }
    },
    isOver: (token) => lastSecondOf(token) * 1000 <= now(),
    // One that was sealed before there was an absolute end, or so early a one, would outlive it.
    isDue: (token) => isOld(token, updateAge, now) || Number(token.exp) > lastSecondOf(token),
  }
}
