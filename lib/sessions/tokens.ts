/**
 * The session token that a browser brings in its cookies, opened.
 *
 * @module
 */
import { isPromiseLike } from "../awaitable.js"
import type { ResolvedConfig } from "../config/resolve.js"
import { asError } from "../errors.js"
import type { JWT } from "../jwt.js"
import type { Runtime } from "../runtime.js"
import { CONFLICT, readOwner } from "../security/session-values.js"
import { createConflictLog, findSession } from "./browser-session.js"
import type { Codec, Decoded } from "./codec.js"
import { createLately } from "./lately.js"
import { createRefusalLog } from "./refusals.js"
import type { SessionCookies } from "./session.js"
import type { TokenLife } from "./token-life.js"

export interface OpenedToken {
  /** As it stands in the cookie. */
  readonly value: string
  /** The name of that cookie. */
  readonly name: string
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
  /** The token of the browser's session. A conflict of several is logged. */
  find(browser: SessionCookies): Promise<OpenedToken | undefined | typeof CONFLICT>
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
  const logConflict = createConflictLog(logger, now)
  const changes = createLately<Change>(secondsOfLately(config), now)

  const opened = (value: string, name: string, { claims, expires }: Decoded): OpenedToken => ({
    value,
    name,
    claims,
    expires,
    before: config.callbacks.jwt ? JSON.stringify(claims) : "",
  })

  function changeOf({ value, before }: OpenedToken): string | undefined {
    const change = changes.get(value)
    // An application's own tokens may stay the same while what they stand for changes.
    return change?.before === before ? change.made : undefined
  }

  /** The token of a value; undefined for one that does not open, and why in `refusals`. */
  async function openToken(value: string, name: string, refusals: Error[]): Promise<OpenedToken | undefined> {
    try {
      const decoding = codec.decode(value, name)
      const decoded = isPromiseLike(decoding) ? await decoding : decoding
      if (decoded instanceof Error) refusals.push(decoded)
      else if (decoded && !life.isOver(decoded.claims)) return opened(value, name, decoded)
    } catch (error) {
      refusals.push(asError(error))
    }
    return undefined
  }

  return {
    async find(browser) {
      const refusals: Error[] = []
      const open = (value: string, name: string) => openToken(value, name, refusals)
      const found = await findSession(browser, { open, owner: ({ claims }) => readOwner(claims) })
      if (found === undefined) for (const refusal of refusals) refuse(refusal)
      if (found === CONFLICT) logConflict()
      return found
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
