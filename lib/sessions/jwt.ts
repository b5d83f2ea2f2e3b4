import type { Awaitable } from "../base/awaitable.js"
import type { CookieChange, DefaultSession, JWT, Session, SessionOrigin } from "../base/types.js"
import { createSingleFlight } from "../cache/single-flight.js"
import { createTtlCache, type Renewal, type TtlCache } from "../cache/ttl-cache.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import {
  type AuthError,
  asAuthError,
  asError,
  CallbackRouteError,
  JWTSessionError,
  TIMED_OUT,
  UnsupportedStrategy,
} from "../errors/errors.js"
import { type Cookies, putChunked } from "../http/cookies.js"
import { CONFLICT } from "../security/session-values.js"
import { dropFormer, dropSession } from "./browser-session.js"
import { type Codec, createCodec } from "./codec.js"
import { requireBudget } from "./cookie-budget.js"
import { createEndedSessions, type EndedSessions } from "./ended-sessions.js"
import { continueOrigin, formatOrigin, parseOrigin, parseOwner } from "./origin.js"
import type {
  NewSession,
  ReadPurpose,
  SessionCookies,
  SessionRead,
  SessionRuntime,
  SessionStrategy,
  SignedIn,
} from "./session.js"
import { createTokenLifetime, type Lifetime, type TokenLifetime } from "./token-lifetime.js"
import { createTokens, type OpenedToken, replayWindowSeconds, sessionCookieName, type Tokens } from "./tokens.js"

type JwtSessionContext = Pick<SessionRuntime, "callbacks" | "emit" | "logger" | "now"> & {
  readonly config: ResolvedConfig
}

/** The expiry of a token, and the claims to add when it is encoded. */
interface EncodeOptions extends Lifetime {
  readonly verifiedEmail?: string | undefined
  /** The claim `session_origin`. */
  readonly origin?: string | undefined
  /** `name=value` of the replaced cookie. Set if concurrent requests with this cookie share one renewal. */
  readonly replaces?: string | undefined
  /** Length of the replaced token, in characters. */
  readonly replacedLength?: number
}

/** Characters that a renewal may add to a session of Auth.js, which lacks the claims of this package. */
const RENEWAL_GROWTH = 256

/** Throws a `CallbackRouteError` for a callback that failed. The session stays valid. */
const throwCallbackError =
  (name: "jwt" | "session") =>
  (error: unknown): never => {
    const cause = { err: asError(error), callback: name }
    throw asAuthError(error) ?? new CallbackRouteError(`callbacks.${name} threw an error`, cause)
  }

const createTimeoutError = (seconds: number): AuthError =>
  new CallbackRouteError(`callbacks.jwt did not settle within ${seconds} s`, { callback: "jwt" }, TIMED_OUT)

const createSizeError = (error: unknown): AuthError => {
  const err = asError(error)
  return new JWTSessionError(`the session is too large for cookies: ${err.message}`, err, {
    messageCode: "session-too-large",
  })
}

/** The session, if the application has no `session` callback. */
const toSession = ({ name, email, picture }: JWT, expires: string): Session => ({
  user: { name, email, image: picture },
  expires,
})

/** The claims of a new session, as in Auth.js. */
const createClaims = ({ user }: SignedIn): JWT => ({
  name: user.name,
  email: user.email,
  picture: user.image,
  ...(user.id !== undefined && { sub: String(user.id) }),
})

const readVerifiedEmailClaim = ({ session_verified_email }: JWT): string | undefined =>
  typeof session_verified_email === "string" ? session_verified_email : undefined

/** Rejects results such as `true`, which would become a session without a user. */
function requireClaims(result: JWT | null): JWT | null {
  if (!result) return null
  if (typeof result === "object" && !Array.isArray(result)) return result
  throw new TypeError("callbacks.jwt must return the token, or null to end the session")
}

class JwtSessions implements SessionStrategy {
  readonly #context: JwtSessionContext
  readonly #codec: Codec
  readonly #tokens: Tokens
  /** Calls of the `jwt` callback in progress, by token. Concurrent requests share one; its result is JSON. */
  readonly #reads = createSingleFlight<string | null>(createTimeoutError)
  readonly #renewals: TtlCache<Renewal>
  readonly #lifetime: TokenLifetime
  readonly #ended: EndedSessions
  /** The sessions of requests that complete a sign-in, by their cookies, so that each is decrypted once. */
  readonly #found = new WeakMap<Cookies, ReturnType<Tokens["find"]>>()

  constructor(context: JwtSessionContext) {
    this.#context = context
    const { config, now } = context
    this.#renewals = createTtlCache(replayWindowSeconds(config), now)
    this.#lifetime = createTokenLifetime(config.session, now)
    this.#ended = createEndedSessions(now)
    this.#codec = createCodec(config, now)
    this.#tokens = createTokens({ ...context, codec: this.#codec, lifetime: this.#lifetime })
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const endedCount = this.#ended.count
    const found = await this.#tokens.find(browser)
    // Two cookies conflict, and one may come from a sibling host. If only the cookie of this host were cleared, the
    // other one would become the browser's session. So neither is cleared.
    if (found === CONFLICT) return { session: null, cookies: [] }
    const result = found && this.#context.config.callbacks.jwt ? await this.#applyCallback(found, purpose) : undefined
    if (!found || result === null)
      return { session: null, cookies: this.#ended.filterCookieChanges(browser, dropSession(browser)) }
    try {
      return await this.#toSessionRead(found, result, { browser, purpose, endedCount })
    } catch (error) {
      // The update is reverted, because other requests with this token must not use a session that failed.
      if (result !== undefined && purpose.mode === "update") this.#tokens.revert(found, result)
      throw error
    }
  }

  /** Builds the session of a token, and its renewed cookies. `result` is the result of the `jwt` callback, as JSON. */
  async #toSessionRead(
    found: OpenedToken,
    result: string | undefined,
    { browser, purpose, endedCount }: { browser: SessionCookies; purpose: ReadPurpose; endedCount: number },
  ): Promise<SessionRead> {
    const { callbacks, events } = this.#context.config
    const token: JWT = result === undefined ? found.claims : JSON.parse(result)
    const isChanged = result !== undefined && result !== found.claimsJson
    const hasFormerName = found.name !== sessionCookieName(browser)
    const isPeek = purpose.mode === "peek"
    // Concurrent requests share the renewal of a token whose claims are unchanged.
    const isShareable = !isChanged && purpose.mode === "read"
    const renews = !isPeek && (!isShareable || hasFormerName || this.#lifetime.needsRenewal(found.claims))
    const encodeOptions = renews ? this.#encodeOptions(found, { isShareable }, browser) : undefined
    const renewed = encodeOptions ? await this.#renew(token, browser, encodeOptions) : []
    // If the session is too large to renew, it expires with the cookies that the browser has.
    const end = encodeOptions && renewed.length > 0 ? encodeOptions.end.toISOString() : found.expires
    const defaultSession = toSession(token, end ?? this.#lifetime.lifetimeOf(found.claims).end.toISOString())
    const session = callbacks.session
      ? ((await this.#callSessionCallback(defaultSession, token)) ?? null)
      : defaultSession
    // The browser keeps the last cookie that it receives. A cookie with unchanged claims would undo a concurrent change.
    const isSuperseded = result !== undefined && !isChanged && this.#tokens.isSuperseded(found, result)
    const cookies = isSuperseded ? [] : renewed
    // Revert a change that no cookie contains. A change by a peek is kept for the browser's next request, because the
    // callback may have used a refresh token that works only once.
    if (isChanged && cookies.length === 0 && !isPeek) this.#tokens.revert(found, result)
    if (events.session && session) await this.#context.emit("session", { session, token })
    const owner = this.#readOwner(found)
    if (cookies.length === 0) return { session, cookies, owner }
    const start = { endedCount, owner: found.claims.sub }
    return { session, owner, cookies: this.#ended.filterCookieChanges(browser, cookies, start) }
  }

  async create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession> {
    const { user, account, profile, isNewUser, verifiedEmail } = signedIn
    const previous = signedIn.isConnection ? await this.origin(browser) : undefined
    const origin = formatOrigin(signedIn.isConnection ? continueOrigin(previous, signedIn.origin) : signedIn.origin)
    const token = await this.#context.callbacks
      .jwt({
        token: createClaims(signedIn),
        user,
        account,
        ...(profile && { profile }),
        ...(isNewUser !== undefined && { isNewUser }),
        trigger: isNewUser ? "signUp" : "signIn",
      })
      .then(requireClaims)
      .catch(throwCallbackError("jwt"))
    const cookies = token
      ? await this.#createCookies(token, browser, { ...this.#lifetime.lifetimeOf({}), verifiedEmail, origin })
      : dropSession(browser)
    this.#ended.record(browser, "replaced")
    const replaced = await this.#find(browser)
    if (replaced) this.#ended.recordOwner(replaced.claims.sub)
    return { cookies, userId: token?.sub }
  }

  async destroy(browser: SessionCookies): Promise<readonly CookieChange[]> {
    const dropped = dropSession(browser)
    if (dropped.length === 0) return []
    this.#ended.record(browser, "closed")
    const found = await this.#tokens.find(browser)
    if (!found || found === CONFLICT) return dropped
    this.#ended.recordOwner(found.claims.sub)
    await this.#context.emit("signOut", { token: this.#tokens.current(found).token })
    // Later requests must not share a `jwt` callback that began before the sign-out.
    this.#reads.invalidate(found.value)
    return dropped
  }

  async destroyAll(): Promise<void> {
    throw new UnsupportedStrategy(
      'sessions are in the browsers\' cookies, which the server can\'t delete. Store a time for each user, and end older sessions in callbacks.jwt (docs/sessions.md, "Signing out everywhere"), or set session.strategy to "database"',
    )
  }

  async currentUserId(browser: SessionCookies, { runsJwtCallback = false } = {}): Promise<string | undefined> {
    const found = await this.#find(browser)
    if (!found) return undefined
    if (!runsJwtCallback || !this.#context.config.callbacks.jwt) return this.#tokens.current(found).token.sub
    const result = await this.#applyCallback(found, { mode: "read" })
    return result === null ? undefined : (JSON.parse(result) as JWT).sub
  }

  async verifiedEmail(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#find(browser)
    return found && readVerifiedEmailClaim(found.claims)
  }

  async origin(browser: SessionCookies): Promise<SessionOrigin | undefined> {
    return parseOrigin((await this.#find(browser))?.claims.session_origin)
  }

  /** Sessions from before origins existed belong to the user in `sub`, which is the adapter's id if there is one. */
  #readOwner({ claims }: OpenedToken): string | undefined {
    return parseOwner(claims.session_origin) ?? (this.#context.config.adapter ? claims.sub : undefined)
  }

  /** The session of a request. The result of the first call is reused for the other parts of a sign-in. */
  async #find(browser: SessionCookies): Promise<OpenedToken | undefined> {
    const finding = this.#found.get(browser.cookies) ?? this.#tokens.find(browser)
    this.#found.set(browser.cookies, finding)
    const found = await finding
    return found === CONFLICT ? undefined : found
  }

  /** The claims that the `jwt` callback returns, as JSON; null if it ends the session. */
  #applyCallback(found: OpenedToken, purpose: ReadPurpose): Promise<string | null> {
    return this.#callJwtCallback(found, purpose).catch(throwCallbackError("jwt"))
  }

  async #callJwtCallback(found: OpenedToken, purpose: ReadPurpose): Promise<string | null> {
    const { callbacks } = this.#context
    // As in Auth.js, the callback is called without `user` here, although the type requires it.
    type Params = Parameters<typeof callbacks.jwt>[0]
    const call = async (params: object): Promise<string | null> => {
      const { token, json } = this.#tokens.current(found)
      const claims = requireClaims(await callbacks.jwt({ token, ...params } as Params))
      if (!claims) return null
      const result = JSON.stringify(claims)
      this.#tokens.remember(found, result, json)
      return result
    }
    if (purpose.mode === "update") return call({ trigger: "update", session: purpose.data })
    // The call must be shared until its result is remembered. Otherwise a request in between runs the callback again.
    return this.#reads.read(found.value, () => call({ session: undefined }))
  }

  /** The session that the `session` callback returns, if any. */
  #callSessionCallback(session: Session, token: JWT): Promise<Session | DefaultSession | undefined> {
    // A cookie session has neither `user` nor `newSession`, although the type of Auth.js requires them.
    const { callbacks } = this.#context
    const params = { session, token } as Parameters<typeof callbacks.session>[0]
    return callbacks.session(params).catch(throwCallbackError("session"))
  }

  /** Returns the options for renewing a token. With `isShareable`, concurrent requests share one renewal. */
  #encodeOptions(
    { value, claims }: OpenedToken,
    { isShareable }: { isShareable: boolean },
    browser: SessionCookies,
  ): EncodeOptions {
    const options = {
      ...this.#lifetime.lifetimeOf(claims),
      verifiedEmail: readVerifiedEmailClaim(claims),
      origin: typeof claims.session_origin === "string" ? claims.session_origin : undefined,
      replacedLength: value.length,
    }
    if (!isShareable) return options
    const replaces = `${sessionCookieName(browser)}=${value}`
    return { ...options, replaces, end: this.#renewals.get(replaces)?.end ?? options.end }
  }

  /** Encodes a token, or returns the result that a concurrent request with the same token has encoded. */
  async #encodeOnce(token: JWT, name: string, { replaces, ...options }: EncodeOptions): Promise<Renewal> {
    const cached = replaces === undefined ? undefined : this.#renewals.get(replaces)
    if (cached) return cached
    const renewal = { value: await this.#encode(token, name, options), end: options.end }
    if (replaces !== undefined) this.#renewals.set(replaces, renewal)
    return renewal
  }

  /** Encodes a token with the package's own claims, even if the `jwt` callback removed them. */
  #encode(
    { session_origin: _, ...token }: JWT,
    name: string,
    { absolute, verifiedEmail, origin }: EncodeOptions,
  ): Awaitable<string> {
    const claims = {
      ...token,
      ...(origin !== undefined && { session_origin: origin }),
      ...(absolute && { session_start: absolute.start }),
      ...(verifiedEmail !== undefined && { session_verified_email: verifiedEmail }),
    }
    return this.#codec.encode(claims, name, absolute?.secondsLeft)
  }

  async #createCookies(token: JWT, browser: SessionCookies, options: EncodeOptions): Promise<CookieChange[]> {
    const { replacedLength = -Infinity } = options
    const name = sessionCookieName(browser)
    const { value, end } = await this.#encodeOnce(token, name, options)
    const { sessionToken: cookie } = browser.cookieSet
    try {
      const puts = putChunked("sessionToken", { value, expires: end, present: browser.cookies, cookie })
      // A session of Auth.js may exceed the limit, because the browser already sends cookies of that size.
      if (value.length > replacedLength + RENEWAL_GROWTH)
        requireBudget(puts, browser, this.#context.config.session.maxCookieSize)
      return [...dropFormer(browser), ...puts]
    } catch (error) {
      throw createSizeError(error)
    }
  }

  /** Renews the session's cookies. If the session has become too large, logs that and leaves them unchanged. */
  async #renew(token: JWT, browser: SessionCookies, options: EncodeOptions): Promise<CookieChange[]> {
    try {
      return await this.#createCookies(token, browser, options)
    } catch (error) {
      this.#context.logger.error(asError(error))
      return []
    }
  }
}

export const createJwtSessions = (context: JwtSessionContext): SessionStrategy => new JwtSessions(context)
