/**
 * Encodes session tokens and writes them to cookies.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import type { CookieChange, JWT } from "../base/types.js"
import { createSingleFlight } from "../cache/single-flight.js"
import { createTtlCache, type Renewal, type TtlCache } from "../cache/ttl-cache.js"
import { type AuthError, asError, JWTSessionError, TIMED_OUT } from "../errors/errors.js"
import { putChunked } from "../http/cookies.js"
import { dropFormerCookies } from "./browser-session.js"
import type { Codec } from "./codec.js"
import { requireBudget } from "./cookie-budget.js"
import { toPersistenceClaims } from "./persistence.js"
import type { SessionCookies, SessionRuntime } from "./session.js"
import type { Lifetime } from "./token-lifetime.js"
import { replayWindowSeconds, sessionCookieName } from "./tokens.js"

/** Options for encoding a token: its lifetime, the claims to add, and the cookie that it replaces. */
export interface EncodeOptions extends Lifetime {
  readonly verifiedEmail?: string | undefined
  /** The claim `session_authentication`. */
  readonly authentication?: string | undefined
  /** `name=value` of the replaced cookie, if concurrent requests with this cookie share one renewal. */
  readonly replaces?: string | undefined
  /** The length of the replaced token, in characters. */
  readonly replacedLength?: number
}

/**
 * A renewed token that is at most this many characters longer than the replaced token is not checked against
 * `session.maxCookieSize`. For example, the first renewal of an Auth.js session adds this package's claims.
 */
const RENEWAL_GROWTH = 256

const createSizeError = (error: unknown): AuthError => {
  const err = asError(error)
  return new JWTSessionError(`the session is too large for cookies: ${err.message}`, err, {
    messageCode: "session-too-large",
  })
}

const createTimeoutError = (seconds: number): AuthError =>
  new JWTSessionError(`jwt.encode did not settle within ${seconds} s`, {}, TIMED_OUT)

type WriterContext = Pick<SessionRuntime, "config" | "logger" | "now"> & { readonly codec: Codec }

/** Writes the cookies of encrypted sessions. */
export class TokenWriter {
  readonly #context: WriterContext
  readonly #renewals: TtlCache<Renewal>
  /** Renewals in progress, by the cookie that they replace. */
  readonly #encodings = createSingleFlight<Renewal>(createTimeoutError)

  constructor(context: WriterContext) {
    this.#context = context
    this.#renewals = createTtlCache(replayWindowSeconds(context.config), context.now)
  }

  /**
   * If a recent request has renewed this cookie, returns the end of the session that the renewal set; otherwise
   * undefined. See `EncodeOptions.replaces`.
   */
  sharedEnd(replaces: string): Date | undefined {
    return this.#renewals.get(replaces)?.end
  }

  /** Encodes a token. With `replaces`, concurrent requests that carry the same cookie get the same result. */
  async #encodeOnce(token: JWT, name: string, { replaces, ...options }: EncodeOptions): Promise<Renewal> {
    const encode = async () => ({ value: await this.#encode(token, name, options), end: options.end })
    if (replaces === undefined) return encode()
    return (
      this.#renewals.get(replaces) ??
      this.#encodings.read(replaces, async () => {
        const renewal = await encode()
        this.#renewals.set(replaces, renewal)
        return renewal
      })
    )
  }

  /**
   * Encodes a token. The claims of this package come from the options, because the `jwt` callback may have changed or
   * removed them.
   */
  #encode(
    { session_authentication: _, session_remember: __, ...token }: JWT,
    name: string,
    { start, isPersistent, maxAgeSeconds, verifiedEmail, authentication }: EncodeOptions,
  ): Awaitable<string> {
    const claims = {
      ...token,
      ...(authentication !== undefined && { session_authentication: authentication }),
      ...toPersistenceClaims(isPersistent),
      ...(start !== undefined && { session_start: start }),
      ...(verifiedEmail !== undefined && { session_verified_email: verifiedEmail }),
    }
    return this.#context.codec.encode(claims, name, maxAgeSeconds)
  }

  /**
   * Encodes a session and returns the cookies that contain it.
   *
   * @throws JWTSessionError if the session is too large
   */
  async create(token: JWT, browser: SessionCookies, options: EncodeOptions): Promise<CookieChange[]> {
    const { replacedLength = -Infinity } = options
    const name = sessionCookieName(browser)
    const { value, end } = await this.#encodeOnce(token, name, options)
    const { sessionToken: cookie } = browser.cookieSet
    try {
      const expires = options.isPersistent ? end : undefined
      const puts = putChunked("sessionToken", { value, expires, present: browser.cookies, cookie })
      // A token that is hardly longer than the replaced token is not checked. The replaced token, for example a large
      // token of Auth.js, may itself exceed the limit, but the browser already sends cookies of that size.
      if (value.length > replacedLength + RENEWAL_GROWTH)
        requireBudget(puts, browser, this.#context.config.session.maxCookieSize)
      return [...dropFormerCookies(browser), ...puts]
    } catch (error) {
      throw createSizeError(error)
    }
  }

  /**
   * Renews a session and returns the cookies that contain it. If that fails, for example because the session has become
   * too large, logs the error and returns no cookies. The browser then keeps the cookies that it has.
   */
  async renew(token: JWT, browser: SessionCookies, options: EncodeOptions): Promise<CookieChange[]> {
    try {
      return await this.create(token, browser, options)
    } catch (error) {
      this.#context.logger.error(asError(error))
      return []
    }
  }
}
