/**
 * Reads and decodes the session token in a browser's cookies.
 *
 * @module
 */

import { isPromiseLike } from "../base/awaitable.js"
import type { JWT } from "../base/types.js"
import { createTtlCache } from "../cache/ttl-cache.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { asError, JWTSessionError } from "../errors/errors.js"
import { foreignCookieHint } from "../http/cookie-hints.js"
import { createLogLimit } from "../logging/log-limit.js"
import type { Logger } from "../logging/logger.js"
import { SealError } from "../security/jwe.js"
import { CONFLICT, readOwner } from "../security/session-values.js"
import { createConflictLog, findSession, namedSessionValues } from "./browser-session.js"
import type { Codec, Decoded } from "./codec.js"
import type { SessionCookies, SessionRuntime } from "./session.js"
import type { TokenLifetime } from "./token-lifetime.js"

/**
 * Copies a `SealError`, because the built-in `decode` returns the same frozen object to many requests, and loggers may
 * add properties to an error.
 */
const copySealError = (reason: Error): Error => (reason instanceof SealError ? new SealError(reason.reason) : reason)

/**
 * Returns a function that logs an invalid session cookie. Clients can send any number of invalid cookies, so the number
 * of log records is limited.
 */
function createInvalidCookieLog(logger: Logger, now: () => number): (reason: Error) => void {
  const limit = createLogLimit(now)
  return (reason) => {
    // Read as a property, without `instanceof`, because an application's `decode` may throw the error of another copy
    // of this package.
    const reasonCode: unknown = Reflect.get(reason, "reason")
    if (reasonCode === "expired") {
      logger.debug("session", "the session cookie has expired")
      return
    }
    const omitted = limit.take()
    if (omitted === undefined) return
    const omittedNote = omitted > 0 ? `; ${omitted} more such requests were not logged` : ""
    const message = `a session cookie can't be decrypted, so the request is treated as signed out${omittedNote}`
    const hint = reasonCode === "secret" ? { hint: foreignCookieHint("sessionToken") } : {}
    logger.error(new JWTSessionError(message, { err: copySealError(reason), ...hint }))
  }
}

/** A valid session token from a cookie. */
export interface OpenedToken {
  /** The cookie's value. */
  readonly value: string
  /** The cookie's name. */
  readonly name: string
  /** The claims in the cookie, including this package's own, such as `session_start`. */
  readonly claims: JWT
  /** The token's expiry as ISO 8601 text; undefined if it contains none. */
  readonly expires: string | undefined
  /** The claims as JSON, for comparison with the result of the `jwt` callback; empty without that callback. */
  readonly claimsJson: string
}

/**
 * A change of a token's claims by the `jwt` callback. Both members are JSON, so that requests share no mutable objects.
 */
interface TokenChange {
  readonly before: string
  readonly after: string
}

/** The current claims of a token: those that the `jwt` callback returned last, or those of the cookie. */
interface CurrentToken {
  readonly token: JWT
  /** The claims as JSON; empty without a `jwt` callback. */
  readonly json: string
}

/** Finds session tokens, and remembers the claims that the `jwt` callback returned for them. */
export interface Tokens {
  /**
   * Returns the token of the browser's session. If there is none, logs why the browser's session cookies are invalid,
   * and returns undefined. If several sessions conflict (see `findSession`), logs that and returns `CONFLICT`.
   */
  find(browser: SessionCookies): Promise<OpenedToken | undefined | typeof CONFLICT>
  /**
   * Returns the valid tokens of all session cookies of the browser, including those of different users. `found` is the
   * result of `find`. It is returned without decrypting it again if the browser has sent only one session cookie.
   */
  findAll(browser: SessionCookies, found: OpenedToken | undefined): Promise<OpenedToken[]>
  /**
   * Returns a copy of the claims that the `jwt` callback recently returned for this token. If none are remembered,
   * returns a copy of the claims in the cookie.
   */
  current(found: OpenedToken): CurrentToken
  /**
   * Remembers `after`, the claims that the callback returned, if they differ from `calledWith`. Both are JSON. Later
   * requests with the same token start from the remembered claims, so that the callback does not, for example, refresh
   * an access token twice.
   */
  remember(found: OpenedToken, after: string, calledWith: string): void
  /** True if claims other than `after` are remembered for this token, for example those of a later update. */
  isSuperseded(found: OpenedToken, after: string): boolean
  /**
   * Forgets the remembered claims `after`, so that the claims of the cookie are used again. Claims that were remembered
   * later stay.
   */
  revert(found: OpenedToken, after: string): void
}

type TokenContext = Pick<SessionRuntime, "logger" | "now"> & {
  readonly config: ResolvedConfig
  readonly codec: Codec
  readonly lifetime: TokenLifetime
}

export const sessionCookieName = ({ cookieSet }: SessionCookies): string => cookieSet.sessionToken.name

/**
 * Returns how long the result of a renewal or of the `jwt` callback may be reused for requests with the old token: at
 * most until the next renewal or the end of the session.
 */
export const replayWindowSeconds = ({ session, jwt }: ResolvedConfig): number =>
  Math.min(session.updateAge, session.maxAge, jwt.maxAge)

export function createTokens({ config, codec, lifetime, logger, now }: TokenContext): Tokens {
  const logInvalid = createInvalidCookieLog(logger, now)
  const logConflict = createConflictLog(logger, now)
  const changes = createTtlCache<TokenChange>(replayWindowSeconds(config), now)

  const toOpenedToken = (value: string, name: string, { claims, expires }: Decoded): OpenedToken => ({
    value,
    name,
    claims,
    expires,
    claimsJson: config.callbacks.jwt ? JSON.stringify(claims) : "",
  })

  /** Returns the remembered claims of a token as JSON; undefined if there are none. */
  function findRemembered({ value, claimsJson }: OpenedToken): string | undefined {
    const change = changes.get(value)
    // With the application's own `jwt.decode`, the same cookie value may decode to different claims later.
    return change?.before === claimsJson ? change.after : undefined
  }

  /**
   * Opens a cookie's value. If it is invalid, returns undefined. If decoding returned or threw an error, also adds this
   * error to `failures`.
   */
  async function openToken(value: string, name: string, failures: Error[]): Promise<OpenedToken | undefined> {
    try {
      const decoding = codec.decode(value, name)
      const decoded = isPromiseLike(decoding) ? await decoding : decoding
      if (decoded instanceof Error) failures.push(decoded)
      else if (decoded && !lifetime.isPastAbsoluteTimeout(decoded.claims)) return toOpenedToken(value, name, decoded)
    } catch (error) {
      failures.push(asError(error))
    }
    return undefined
  }

  return {
    async find(browser) {
      const failures: Error[] = []
      const open = (value: string, name: string) => openToken(value, name, failures)
      const found = await findSession(browser, { open, owner: ({ claims }) => readOwner(claims) })
      if (found === undefined) for (const failure of failures) logInvalid(failure)
      if (found === CONFLICT) logConflict()
      return found
    },
    async findAll(browser, found) {
      const values = namedSessionValues(browser)
      if (found && values.length === 1) return [found]
      const opening = values.map(({ value, name }) => openToken(value, name, []))
      return (await Promise.all(opening)).filter((token) => token !== undefined)
    },
    current(found) {
      const json = config.callbacks.jwt && findRemembered(found)
      return json ? { token: JSON.parse(json), json } : { token: { ...found.claims }, json: found.claimsJson }
    },
    remember({ value, claimsJson }, after, calledWith) {
      if (after !== calledWith) changes.set(value, { before: claimsJson, after })
    },
    isSuperseded: (found, after) => (findRemembered(found) ?? after) !== after,
    revert(found, after) {
      const { value, claimsJson } = found
      if (findRemembered(found) === after) changes.set(value, { before: claimsJson, after: claimsJson })
    },
  }
}
