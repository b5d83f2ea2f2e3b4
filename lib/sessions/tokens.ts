/**
 * The session token that a browser brings in its cookies, opened.
 *
 * @module
 */
import { isPromiseLike } from "../awaitable.js"
import type { ResolvedConfig } from "../config/resolve.js"
import { asError } from "../errors.js"
import { readChunked } from "../http/cookies.js"
import { readFurther } from "../http/same-name.js"
import type { JWT } from "../jwt.js"
import type { Runtime } from "../runtime.js"
import type { Codec, Decoded } from "./codec.js"
import { createLately } from "./lately.js"
import { createRefusalLog } from "./refusals.js"
import type { SessionCookies } from "./session.js"
import type { TokenLife } from "./token-life.js"

export interface OpenedToken {
  /** As it stands in the cookie. */
  readonly value: string
  /** What the cookie holds; our own among them tell when the session began. */
  readonly claims: JWT
  /** Its end as text. */
  readonly expires: string | undefined
  /** The claims as text, from before the application's callback; empty where it has none. */
  readonly before: string
}

/** What was made of a token's claims. As JSON: what one request changes, another must not see. */
interface Change {
  readonly before: string
  readonly made: string
}

/** A token as its application has it, and the same as JSON where there is a callback. */
interface Latest {
  readonly token: JWT
  readonly text: string
}

/** The tokens of a configuration. */
export interface Tokens {
  /** The first of the browser's values that opens. Of several with one name, neighbours may have put theirs first. */
  find(browser: SessionCookies): Promise<OpenedToken | undefined>
  /** What the application has: what it made of the claims lately, where it did. A copy of the caller's own. */
  latest(found: OpenedToken): Latest
  /**
   * Notes what the application's callback made of the claims, as JSON, unless it made nothing else of what it `had`.
   * Whoever comes late with the old token gets that: a request that was on its way must not have an access token refreshed
   * again.
   */
  note(found: OpenedToken, made: string, had: string): void
  /** Was something else noted since this was made, by an update for instance? */
  isOvertaken(found: OpenedToken, made: string): boolean
  /** Takes back what was noted, unless something else was since: the session goes on with the claims as they were. */
  takeBack(found: OpenedToken, made: string): void
}

type Context = Pick<Runtime, "logger" | "now"> & {
  readonly config: ResolvedConfig
  readonly codec: Codec
  readonly life: TokenLife
}

export const nameIn = ({ cookieSet }: SessionCookies): string => cookieSet.sessionToken.name

/** For how long at most something made of a token is given again: until the session would be renewed, or over. */
export const secondsOfLately = ({ session, jwt }: ResolvedConfig): number =>
  Math.min(session.updateAge, session.maxAge, jwt.maxAge)

export function createTokens({ config, codec, life, logger, now }: Context): Tokens {
  const refuse = createRefusalLog(logger, now)
  const changes = createLately<Change>(secondsOfLately(config), now)

  const opened = (value: string, { claims, expires }: Decoded): OpenedToken => ({
    value,
    claims,
    expires,
    before: config.callbacks.jwt ? JSON.stringify(claims) : "",
  })

  function changeOf({ value, before }: OpenedToken): string | undefined {
    const change = changes.get(value)
    // An application's own tokens may stay the same while what they stand for changes.
    return change?.before === before ? change.made : undefined
  }

  async function openFirst(
    values: readonly string[],
    name: string,
    further: () => readonly string[],
  ): Promise<OpenedToken | undefined> {
    const refusals: Error[] = []
    for (const value of values) {
      try {
        const decoding = codec.decode(value, name)
        const decoded = isPromiseLike(decoding) ? await decoding : decoding
        if (decoded instanceof Error) refusals.push(decoded)
        else if (decoded && !life.isOver(decoded.claims)) return opened(value, decoded)
      } catch (error) {
        refusals.push(asError(error))
      }
    }
    const others = further()
    const found = others.length > 0 ? await openFirst(others, name, () => []) : undefined
    if (!found) for (const refusal of refusals) refuse(refusal)
    return found
  }

  return {
    find(browser) {
      const name = nameIn(browser)
      return openFirst(readChunked(browser.cookies, name), name, () => readFurther(browser.cookieHeader, name))
    },
    latest(found) {
      const text = config.callbacks.jwt && changeOf(found)
      return text ? { token: JSON.parse(text), text } : { token: { ...found.claims }, text: found.before }
    },
    note({ value, before }, made, had) {
      if (made !== had) changes.set(value, { before, made })
    },
    isOvertaken: (found, made) => (changeOf(found) ?? made) !== made,
    takeBack(found, made) {
      const { value, before } = found
      if (changeOf(found) === made) changes.set(value, { before, made: before })
    },
  }
}
