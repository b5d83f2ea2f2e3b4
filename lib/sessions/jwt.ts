import type { Adapter } from "../adapters/adapter.js"
import { isPromiseLike } from "../base/awaitable.js"
import type { CookieChange, JWT, Session, SessionAuthentication, User } from "../base/types.js"
import { asError, SignOutError, UnsupportedStrategy } from "../errors/errors.js"
import type { Cookies } from "../http/cookies.js"
import { mayBeUnregistered } from "../security/session-id.js"
import { CONFLICT } from "../security/session-values.js"
import { continueAuthentication, formatAuthentication, mergeAuthentication } from "./authentication.js"
import { dropSessionCookies } from "./browser-session.js"
import { readTime, readVerifiedEmailClaim } from "./claims.js"
import { createCodec } from "./codec.js"
import { describeDevice } from "./device.js"
import { createEndedSessions, type EndedSessions } from "./ended-sessions.js"
import { JwtCallbacks } from "./jwt-callbacks.js"
import { decidePersistence, hasPersistentClaims, toPersistenceClaims } from "./persistence.js"
import { createRegistry } from "./registry.js"
import type {
  DestroyedSession,
  NewSession,
  PresentedSession,
  ReadPurpose,
  RegisteredSession,
  SessionCookies,
  SessionRead,
  SessionRegistry,
  SessionRuntime,
  SessionStrategy,
  SignedIn,
} from "./session.js"
import { createTokenIdentity, readAuthentication, type TokenIdentity } from "./token-identity.js"
import { createTokenLifetime, type TokenLifetime } from "./token-lifetime.js"
import { type EncodeOptions, TokenWriter } from "./token-writer.js"
import { createTokens, type OpenedToken, sessionCookieName, type Tokens } from "./tokens.js"

type JwtSessionContext = Pick<SessionRuntime, "callbacks" | "config" | "emit" | "logger" | "now" | "store"> & {
  readonly adapter: Pick<Adapter, "getUser"> | undefined
  /** The sign-in methods by provider type. */
  readonly methods: Readonly<Partial<Record<string, { readonly needs: { readonly account: string } }>>>
}

/** Returns the default session: the input of the `session` callback, or the result if there is no callback. */
const createDefaultSession = ({ name, email, picture }: JWT, expires: string): Session => ({
  user: { name, email, image: picture },
  expires,
})

class JwtSessions implements SessionStrategy {
  readonly #context: JwtSessionContext
  readonly #tokens: Tokens
  readonly #writer: TokenWriter
  readonly #callbacks: JwtCallbacks
  readonly #identity: TokenIdentity
  readonly #lifetime: TokenLifetime
  readonly #ended: EndedSessions
  /** The results of `#find` by the cookies of the request, so that repeated calls look up the session only once. */
  readonly #found = new WeakMap<Cookies, ReturnType<Tokens["find"]>>()
  readonly registry: SessionRegistry | undefined
  readonly recordsAuthentication = true

  constructor(context: JwtSessionContext) {
    this.#context = context
    const { config, now } = context
    this.#lifetime = createTokenLifetime(config.session, now)
    this.#ended = createEndedSessions(now)
    const codec = createCodec(config, now)
    this.#tokens = createTokens({ ...context, codec, lifetime: this.#lifetime })
    this.#callbacks = new JwtCallbacks(context.callbacks, this.#tokens)
    this.#writer = new TokenWriter({ ...context, codec })
    // Cookie sessions have no row in the adapter.
    this.registry = createRegistry(context, async () => {})
    this.#identity = createTokenIdentity({
      hasRegistry: this.registry !== undefined,
      hasAdapter: config.adapter !== undefined,
    })
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const endedCount = this.#ended.count
    const found = await this.#findLive(browser, purpose.mode !== "peek")
    // Two cookies conflict, and one may come from a sibling host. If only the cookie of this host were cleared, the
    // other one would become the browser's session. So neither is cleared.
    if (found === CONFLICT) return { session: null, cookies: [] }
    const result = found && this.#context.config.callbacks.jwt ? await this.#callbacks.read(found, purpose) : undefined
    if (!found || result === null)
      return { session: null, cookies: this.#ended.filterCookieChanges(browser, dropSessionCookies(browser)) }
    try {
      return await this.#toSessionRead(found, result, { browser, purpose, endedCount })
    } catch (error) {
      // The update is reverted: other requests with this token must not use claims whose session could not be built.
      if (result !== undefined && purpose.mode === "update") this.#tokens.revert(found, result)
      throw error
    }
  }

  /**
   * Builds the session of a token, and its renewed cookies. `result` is the result of the `jwt` callback as JSON;
   * undefined if there is no callback.
   */
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
    const renewed = encodeOptions ? await this.#writer.renew(token, browser, encodeOptions) : []
    // If the session could not be renewed, for example because it is too large, it expires with the cookies that the
    // browser has.
    const end = encodeOptions && renewed.length > 0 ? encodeOptions.end.toISOString() : found.expires
    const defaultSession = createDefaultSession(token, end ?? this.#lifetime.lifetimeOf(found.claims).end.toISOString())
    const session = callbacks.session
      ? ((await this.#callbacks.session(defaultSession, token)) ?? null)
      : defaultSession
    // The browser keeps the cookie that it receives last. If another request has changed the claims, a cookie with
    // unchanged claims would undo that change.
    const isSuperseded = result !== undefined && !isChanged && this.#tokens.isSuperseded(found, result)
    const cookies = isSuperseded ? [] : renewed
    // Reverts a change that no cookie contains. A change by a peek is kept for the browser's next request, because the
    // callback may have used a refresh token that works only once.
    if (isChanged && cookies.length === 0 && !isPeek) this.#tokens.revert(found, result)
    if (events.session && session) await this.#context.emit("session", { session, token })
    const identity = { id: this.#identity.id(found), owner: this.#identity.owner(found) }
    if (cookies.length === 0) return { session, cookies, ...identity }
    const readStart = { endedCount, owner: found.claims.sub }
    return { session, ...identity, cookies: this.#ended.filterCookieChanges(browser, cookies, readStart) }
  }

  async create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession> {
    const { verifiedEmail } = signedIn
    const replaced = await this.#find(browser)
    const authentication = signedIn.isConnection
      ? continueAuthentication(readAuthentication(replaced), signedIn.authentication)
      : signedIn.authentication
    const token = await this.#callbacks.create(signedIn)
    const lifetime = this.#lifetime.lifetimeOf(toPersistenceClaims(this.#isPersistent(signedIn, replaced)))
    const cookies = token
      ? await this.#writer.create(token, browser, {
          ...lifetime,
          verifiedEmail,
          authentication: formatAuthentication(authentication),
        })
      : dropSessionCookies(browser)
    const replacedId = replaced && this.#identity.id(replaced)
    // After a timeout the browser does not receive the new cookies, so its previous session stays valid.
    browser.signal?.throwIfAborted()
    if (token && authentication.id !== replacedId)
      await this.#register(authentication, { signedIn, end: lifetime.end }, browser)
    this.#ended.record(browser, "replaced")
    if (replaced) this.#ended.recordOwner(replaced.claims.sub)
    if (this.registry) await this.#endOpened(await this.#tokens.findAll(browser, replaced), authentication.id)
    return { cookies, userId: token?.sub, id: token ? authentication.id : undefined }
  }

  /**
   * Returns whether the new session is persistent. When the user connects another account, it is persistent if the
   * previous session was.
   */
  #isPersistent({ isConnection, remember }: SignedIn, replaced: OpenedToken | undefined): boolean {
    if (isConnection && replaced) return hasPersistentClaims(replaced.claims)
    return decidePersistence(this.#context.config.session.remember, remember)
  }

  async #register(
    authentication: SessionAuthentication,
    { signedIn, end }: { readonly signedIn: SignedIn; readonly end: Date },
    browser: SessionCookies,
  ): Promise<void> {
    const { config, now } = this.#context
    const { startedAt = now(), logoutHint } = signedIn
    const times = { createdAt: now(), lastSeenAt: now(), expires: end.getTime() }
    const details = { id: authentication.id, authentication, logoutHint, ...describeDevice(browser, config.session) }
    await this.registry?.add({ ...details, ...times }, startedAt)
    if (!browser.signal?.aborted) return
    // The browser does not receive the cookie, so the session is ended. Otherwise it would stay in the user's list of
    // sessions.
    await this.registry?.end(authentication.id)
    throw browser.signal.reason
  }

  async destroy(browser: SessionCookies): Promise<DestroyedSession> {
    const cookies = dropSessionCookies(browser)
    if (cookies.length === 0) return { cookies }
    this.#ended.record(browser, "closed")
    const found = await this.#tokens.find(browser)
    const opened = await this.#tokens.findAll(browser, found === CONFLICT ? undefined : found)
    for (const { claims } of opened) this.#ended.recordOwner(claims.sub)
    const ended = await this.#endOpened(opened).catch((error: unknown) => {
      const failure = new SignOutError("the session could not be ended and is still valid", { err: asError(error) })
      failure.cookies = cookies
      throw failure
    })
    // With cookies of different users, it is unknown which user signs out, so there is no event.
    if (!found || found === CONFLICT) return { cookies }
    await this.#context.emit("signOut", { token: this.#tokens.current(found).token })
    // Later requests must not share the result of a `jwt` callback that began before the sign-out.
    for (const token of opened) this.#callbacks.stopSharing(token)
    return { cookies, session: ended.find((session) => session?.id === this.#identity.id(found)) }
  }

  /**
   * Ends the sessions of the given tokens, except the session with the id `except`. The result contains undefined for
   * each token whose session was not ended or not registered.
   */
  #endOpened(opened: readonly OpenedToken[], except?: string): Promise<(RegisteredSession | undefined)[]> {
    const end = async (token: OpenedToken) => {
      const id = this.#identity.id(token)
      return id === undefined || id === except ? undefined : this.registry?.end(id, readTime(token.claims.exp))
    }
    return Promise.all(opened.map(end))
  }

  async destroyAll(owner: string, options?: { readonly except?: string | undefined }): Promise<void> {
    if (!this.registry)
      throw new UnsupportedStrategy(
        "the server can't end sessions in cookies if there is no store, or if session.revocable is false. Set store: RedisStore(redis), or another store of docs/stores.md, and remove session.revocable",
      )
    await this.registry.endAll({ owner }, options)
  }

  async currentUserId(browser: SessionCookies, { runsJwtCallback = false } = {}): Promise<string | undefined> {
    const found = await this.#find(browser)
    if (!found) return undefined
    if (!runsJwtCallback || !this.#context.config.callbacks.jwt) return this.#tokens.current(found).token.sub
    const result = await this.#callbacks.read(found, { mode: "read" })
    return result === null ? undefined : (JSON.parse(result) as JWT).sub
  }

  async currentSessionId(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#find(browser)
    return found && this.#identity.id(found)
  }

  async verifiedEmail(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#find(browser)
    return found && readVerifiedEmailClaim(found.claims)
  }

  async authentication(browser: SessionCookies): Promise<SessionAuthentication | undefined> {
    const found = await this.#find(browser)
    const id = found && this.#identity.id(found)
    const authentication = readAuthentication(found)
    // The cookie may lack a re-authentication that the record contains: a concurrent request may have renewed the older
    // cookie, and the browser may have received that renewal after the cookie that `recordReauthentication` set.
    const registered = id === undefined ? undefined : (await this.registry?.find(id))?.authentication
    return authentication && registered
      ? mergeAuthentication(authentication, registered)
      : (registered ?? authentication)
  }

  async recordReauthentication(
    browser: SessionCookies,
    reauthentication: SessionAuthentication,
    logoutHint?: string,
  ): Promise<readonly CookieChange[]> {
    const endedCount = this.#ended.count
    const found = await this.#find(browser)
    if (!found) return []
    const id = this.#identity.id(found) ?? reauthentication.id
    const authentication = this.registry
      ? await this.registry.recordReauthentication(id, reauthentication, logoutHint)
      : mergeAuthentication(readAuthentication(found) ?? { ...reauthentication, id }, reauthentication)
    if (!authentication) return []
    const options = {
      ...this.#encodeOptions(found, { isShareable: false }, browser),
      authentication: formatAuthentication(authentication),
    }
    const cookies = await this.#writer.create(this.#tokens.current(found).token, browser, options)
    return this.#ended.filterCookieChanges(browser, cookies, { endedCount, owner: found.claims.sub })
  }

  /** Returns the result of `Tokens.find`, but undefined if the session has ended in the registry. */
  async #findLive(browser: SessionCookies, isUse: boolean): ReturnType<Tokens["find"]> {
    const found = await this.#tokens.find(browser)
    if (!this.registry || !found || found === CONFLICT) return found
    const isLive = this.registry.isLive(this.#present(found, browser, isUse))
    return (isPromiseLike(isLive) ? await isLive : isLive) ? found : undefined
  }

  #present(found: OpenedToken, browser: SessionCookies, isUse: boolean): PresentedSession {
    const { session } = this.#context.config
    const id = String(this.#identity.id(found))
    return {
      id,
      owner: this.#identity.owner(found),
      issuedAt: readTime(found.claims.iat),
      expires: this.#latestExpiry(found, mayBeUnregistered(id), isUse),
      isUse,
      findUser: () => this.#findUser(found),
      describe: () => ({ authentication: readAuthentication(found), ...describeDevice(browser, session) }),
    }
  }

  /**
   * Returns the latest time at which the session ends if it is not used after this request. If this request is a use, it
   * may renew the session, so the result is then at least the expiry of a renewed token.
   */
  #latestExpiry(found: OpenedToken, mayBeIssuedElsewhere: boolean, isUse: boolean): number {
    const current = readTime(found.claims.exp)
    if (!isUse && current !== undefined) return current
    const renewed = this.#lifetime.lifetimeOf(found.claims).end.getTime()
    // Another application may have issued the cookie, with a later expiry than `session.maxAge` allows.
    return mayBeIssuedElsewhere ? Math.max(renewed, current ?? 0) : renewed
  }

  /**
   * Returns the adapter's user. If the sign-in method is unknown, or the adapter does not store the users of this
   * method, returns the user in the claims.
   */
  async #findUser(found: OpenedToken): Promise<User | null> {
    const { adapter, methods } = this.#context
    const { sub, name, email, picture } = found.claims
    const accountKind = methods[readAuthentication(found)?.method ?? ""]?.needs.account ?? "external"
    if (adapter?.getUser && sub !== undefined && accountKind !== "external") return adapter.getUser(sub)
    return { id: this.#identity.owner(found), name, email, image: picture }
  }

  /**
   * Returns the session of a request; undefined if there is none, or if several sessions conflict. Later calls for the
   * same request reuse the result.
   */
  async #find(browser: SessionCookies): Promise<OpenedToken | undefined> {
    const finding = this.#found.get(browser.cookies) ?? this.#findLive(browser, false)
    this.#found.set(browser.cookies, finding)
    const found = await finding
    return found === CONFLICT ? undefined : found
  }

  /** Returns the options for renewing a token. With `isShareable`, concurrent requests share one renewal. */
  #encodeOptions(
    found: OpenedToken,
    { isShareable }: { isShareable: boolean },
    browser: SessionCookies,
  ): EncodeOptions {
    const { value, claims } = found
    const options = {
      ...this.#lifetime.lifetimeOf(claims),
      verifiedEmail: readVerifiedEmailClaim(claims),
      authentication: this.#identity.authenticationText(found),
      replacedLength: value.length,
    }
    if (!isShareable) return options
    const replaces = `${sessionCookieName(browser)}=${value}`
    return { ...options, replaces, end: this.#writer.sharedEnd(replaces) ?? options.end }
  }
}

export const createJwtSessions = (context: JwtSessionContext): SessionStrategy => new JwtSessions(context)
