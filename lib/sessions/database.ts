/**
 * Database sessions, whose rows the adapter stores.
 *
 * @module
 */

import type { AdapterSession } from "../adapters/adapter.js"
import { type Awaitable, waitAtMostUntil } from "../base/awaitable.js"
import { isPlainObject } from "../base/merge.js"
import type { CookieChange, DefaultSession, Session, SessionAuthentication } from "../base/types.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { asAuthError, asError, CallbackRouteError, MissingAdapterMethods, SignOutError } from "../errors/errors.js"
import { CONFLICT } from "../security/session-values.js"
import { appendStart } from "./absolute-timeout.js"
import { continueAuthentication } from "./authentication.js"
import { createConflictLog, dropSessionCookies, findSession } from "./browser-session.js"
import {
  type DeletedSession,
  type SessionAdapter,
  type SessionRow,
  SessionRows,
  type StoredSession,
} from "./database-rows.js"
import {
  createDatabaseTokens,
  type DatabaseTokens,
  isQueryable,
  isValidUnder,
  readSessionId,
  readTokens,
} from "./database-tokens.js"
import { describeDevice } from "./device.js"
import { createEndedSessions, type EndedSessions } from "./ended-sessions.js"
import { decidePersistence, isPersistentToken, withPersistence } from "./persistence.js"
import { createRegistry } from "./registry.js"
import type {
  DestroyedSession,
  NewSession,
  ReadPurpose,
  RegisteredSession,
  SessionCookies,
  SessionRead,
  SessionRegistry,
  SessionRuntime,
  SessionStrategy,
  SignedIn,
} from "./session.js"

type DatabaseSessionContext = Pick<SessionRuntime, "callbacks" | "emit" | "keys" | "logger" | "now" | "store"> & {
  readonly config: ResolvedConfig
  readonly adapter: SessionAdapter
}

interface RemovedSession {
  /** The deleted row, if the adapter returns it. */
  readonly row: DeletedSession
  /** The session in the registry; undefined if it was not registered. */
  readonly registered?: RegisteredSession | undefined
}

/**
 * Returns the changes that set the session cookie. They also clear the cookie with the former name, and the chunks of
 * an earlier encrypted session.
 */
const putSession = (value: string, expires: Date, browser: SessionCookies): CookieChange[] => [
  ...dropSessionCookies(browser),
  { put: "sessionToken", value, ...(isPersistentToken(value) && { expires }) },
]

class DatabaseSessions implements SessionStrategy {
  readonly #context: DatabaseSessionContext
  readonly #tokens: DatabaseTokens
  readonly #logConflict: () => void
  readonly #ended: EndedSessions
  readonly #rows: SessionRows
  readonly registry: SessionRegistry | undefined

  constructor(context: DatabaseSessionContext) {
    this.#context = context
    this.#tokens = createDatabaseTokens(context)
    this.#rows = new SessionRows({ ...context, isLive: (...args) => this.#isLive(...args) })
    this.registry = createRegistry(context, (sealedToken) => this.#deleteRow(sealedToken))
    this.#ended = createEndedSessions(context.now)
    this.#logConflict = createConflictLog(context.logger, context.now)
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const { emit } = this.#context
    const mayExtend = purpose.mode !== "peek"
    const found = await this.#findInCookies(browser, (token) => this.#rows.findShared(token, browser, mayExtend))
    // Two cookies conflict, and one may come from a sibling host. If only the cookie of this host were cleared, the
    // other one would become the browser's session. So neither is cleared.
    if (found === CONFLICT) return { session: null, cookies: [] }
    if (!found) return { session: null, cookies: this.#ended.filterCookieChanges(browser, dropSessionCookies(browser)) }
    const { token } = found
    const session = (await this.#toSession(found, purpose)) ?? null
    // The type of Auth.js requires `token`, the claims of an encrypted cookie, which database sessions do not have.
    if (session) await emit("session", { session } as Parameters<NonNullable<ResolvedConfig["events"]["session"]>>[0])
    const hasFormerName = found.name !== browser.cookieSet.sessionToken.name
    const keepsCookie = !found.isExtended && !hasFormerName && purpose.mode === "read"
    const identity = { id: readSessionId(token), owner: String(found.user.id) }
    if (!mayExtend || keepsCookie) return { session, cookies: [], ...identity }
    const changes = putSession(token, this.#rows.expiry(found), browser)
    return { session, ...identity, cookies: this.#ended.filterCookieChanges(browser, changes) }
  }

  async create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession> {
    const { user, isConnection, logoutHint, startedAt = this.#context.now() } = signedIn
    const previous = isConnection ? await this.#findAuthenticated(browser) : undefined
    const authentication = isConnection
      ? continueAuthentication(previous?.authentication, signedIn.authentication)
      : signedIn.authentication
    const { config, now, adapter } = this.#context
    const { absoluteMaxAge } = config.session
    const markedToken = withPersistence(
      this.#tokens.create(authentication.id, browser),
      this.#isPersistent(signedIn, browser),
    )
    const token = absoluteMaxAge === undefined ? markedToken : appendStart(markedToken, now())
    const absoluteEnd = absoluteMaxAge === undefined ? Infinity : now() + absoluteMaxAge * 1000
    // The user's id is not converted to a string, because some adapters have numeric ids.
    const row = { sessionToken: token, userId: user.id ?? "", expires: this.#rows.expiry({ token, absoluteEnd }) }
    // Some adapters return nothing, or a row with other column names.
    const stored: Partial<AdapterSession> | undefined = await adapter.createSession(row)
    const { sessionToken = row.sessionToken, expires = row.expires } = stored ?? {}
    const id = readSessionId(sessionToken)
    const sealed = this.#tokens.seal(sessionToken)
    const continuedToken = previous?.authentication.id === id ? previous.token : undefined
    try {
      const device = describeDevice(browser, config.session)
      const details = { id, authentication: { ...authentication, id }, token: sealed, logoutHint, ...device }
      const times = { createdAt: now(), lastSeenAt: now(), expires: new Date(expires).getTime() }
      if (continuedToken !== undefined) await this.registry?.replaceToken(id, sealed)
      else await this.registry?.add({ ...details, ...times }, startedAt)
    } catch (error) {
      await this.#rows.delete(sessionToken)
      throw error
    }
    // After a timeout the browser does not receive the new cookie, so its previous session stays valid.
    if (browser.signal?.aborted) {
      await this.#withdraw(sessionToken, continuedToken)
      throw browser.signal.reason
    }
    this.#ended.record(browser, "replaced")
    // The browser's previous sessions are ended, because an attacker may know their tokens (session fixation).
    await this.#removePrevious(browser, id)
    return { cookies: putSession(sessionToken, new Date(expires), browser), userId: user.id, id }
  }

  /** Ends a new session. If it continues the session of another token, only the new token is withdrawn. */
  async #withdraw(token: string, continuedToken: string | undefined): Promise<void> {
    if (continuedToken === undefined) return void (await this.#end(token))
    await this.registry?.replaceToken(readSessionId(token), this.#tokens.seal(continuedToken))
    await this.#rows.delete(token)
  }

  /**
   * Returns whether the new session is persistent. When the user connects another account, the new session is
   * persistent only if every session token in the browser's cookies is. So a cookie that an attacker has planted can
   * make the new session transient, but never persistent.
   */
  #isPersistent({ isConnection, remember }: SignedIn, browser: SessionCookies): boolean {
    if (isConnection) return readTokens(browser).every(isPersistentToken)
    return decidePersistence(this.#context.config.session.remember, remember)
  }

  async destroy(browser: SessionCookies): Promise<DestroyedSession> {
    const cookies = dropSessionCookies(browser)
    if (readTokens(browser).length === 0) return { cookies }
    this.#ended.record(browser, "closed")
    try {
      const removed = await this.#removeAll(browser)
      await this.#context.emit("signOut", { session: removed.map(({ row }) => row).find(Boolean) ?? removed[0]?.row })
      return { cookies, session: removed.find(({ registered }) => registered)?.registered }
    } catch (error) {
      const failure = new SignOutError("the session could not be deleted and is still valid", { err: asError(error) })
      failure.cookies = cookies
      throw failure
    }
  }

  async destroyAll(owner: string, { except }: { readonly except?: string | undefined } = {}): Promise<void> {
    const { adapter } = this.#context
    if (!this.registry && (!adapter.deleteSessionsByUserId || except !== undefined))
      throw new MissingAdapterMethods(
        "the sessions of this user can't be ended: without a store, or with session.revocable: false, only deleteSessionsByUserId(userId) of the adapter can end sessions, and it always ends all of them. Set store: RedisStore(redis), or another store of docs/stores.md, and remove session.revocable",
      )
    try {
      // `deleteSessionsByUserId` also deletes the rows of sessions that are not registered yet. If the adapter lacks
      // this method, these rows remain, and the registry rejects their sessions: they started before the call of
      // `endAll`.
      if (except === undefined) await adapter.deleteSessionsByUserId?.(owner)
      await this.registry?.endAll({ owner }, { except })
    } finally {
      this.#rows.invalidate()
    }
  }

  async currentUserId(browser: SessionCookies): Promise<string | undefined> {
    // The id is not converted to a string, because some adapters have numeric ids.
    return (await this.#findRow(browser))?.user.id
  }

  async currentSessionId(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#findInCookies(browser, (token) => this.#rows.find(token, browser))
    return found && found !== CONFLICT ? readSessionId(found.token) : undefined
  }

  async verifiedEmail(): Promise<undefined> {}

  async authentication(browser: SessionCookies): Promise<SessionAuthentication | undefined> {
    return (await this.#findAuthenticated(browser))?.authentication
  }

  /** Returns the authentication of the browser's session, and the token of this session. */
  async #findAuthenticated(browser: SessionCookies) {
    const found = await this.#findRow(browser)
    if (!found) return undefined
    // The record must contain this token and this owner. A record may remain after its row was deleted, and its
    // authentication must not be used for another session.
    const authentication = (await this.#findRegistered(found.token))?.authentication
    return authentication?.owner === String(found.user.id) ? { token: found.token, authentication } : undefined
  }

  get recordsAuthentication(): boolean {
    return this.registry !== undefined
  }

  async recordReauthentication(
    browser: SessionCookies,
    reauthentication: SessionAuthentication,
    logoutHint?: string,
  ): Promise<readonly CookieChange[]> {
    const found = await this.#findRow(browser)
    if (found && reauthentication.owner === String(found.user.id))
      await this.registry?.recordReauthentication(readSessionId(found.token), reauthentication, logoutHint)
    return []
  }

  /**
   * Returns the registered session of a token; undefined if the record contains another token. The token's id is not
   * secret, because users can list the ids of their sessions. So the whole token is compared.
   */
  async #findRegistered(token: string): Promise<RegisteredSession | undefined> {
    const found = await this.registry?.find(readSessionId(token))
    return found && this.#tokens.open(found.token) === token ? found : undefined
  }

  /** Returns the row of the browser's session; undefined if there is none, or if several sessions conflict. */
  async #findRow(browser: SessionCookies): Promise<StoredSession | undefined> {
    const found = await this.#findInCookies(browser, (token) => this.#rows.find(token, browser))
    return found === CONFLICT ? undefined : found
  }

  /**
   * Finds the browser's session, with the name of its cookie. If several sessions conflict, logs that and returns
   * `CONFLICT`.
   */
  async #findInCookies<T extends Pick<SessionRow, "user">>(
    browser: SessionCookies,
    find: (token: string) => Promise<T | null>,
  ) {
    const findRow = async (token: string, name: string): Promise<(T & { readonly name: string }) | undefined> => {
      const found = isQueryable(token) && isValidUnder(name, token) ? await find(token) : null
      return found ? { ...found, name } : undefined
    }
    const found = await findSession(browser, { open: findRow, owner: ({ user }) => String(user.id) })
    if (found === CONFLICT) this.#logConflict()
    return found
  }

  /**
   * Deletes the browser's previous sessions. If this fails before the soft deadline, the sign-in fails. After the
   * deadline the sign-in no longer waits, and a failure is only logged.
   */
  async #removePrevious(browser: SessionCookies, continuedId: string): Promise<void> {
    let isPastDeadline = false
    const removing = this.#removeAll(browser, continuedId).then(
      () => {},
      (error: unknown) => {
        if (!isPastDeadline) throw error
        this.#context.logger.error(asError(error))
      },
    )
    await waitAtMostUntil(browser.softDeadline, removing)
    isPastDeadline = true
  }

  /**
   * Ends the sessions of all tokens in the browser's cookies. If a token has the id `continuedId`, it is the previous
   * token of a session that now continues with a new token. Only its row is deleted.
   */
  async #removeAll(browser: SessionCookies, continuedId?: string): Promise<RemovedSession[]> {
    const removed: RemovedSession[] = []
    for (const token of readTokens(browser))
      removed.push(
        readSessionId(token) === continuedId ? { row: await this.#rows.delete(token) } : await this.#end(token),
      )
    return removed
  }

  /** Ends the session of a token. */
  async #end(token: string): Promise<RemovedSession> {
    const registered = await this.#findRegistered(token)
    const row = await this.#rows.delete(token)
    if (registered) await this.registry?.endDeleted(registered)
    return { row, registered }
  }

  async #deleteRow(sealedToken: string): Promise<void> {
    const token = this.#tokens.open(sealedToken)
    if (token) await this.#rows.delete(token)
  }

  /** True if the session has not ended in the registry, or if there is no registry. */
  #isLive(
    { token, user, expires: storedExpiry, absoluteEnd }: StoredSession,
    browser: SessionCookies,
    isUse: boolean,
  ): Awaitable<boolean> {
    const { session } = this.#context.config
    // If this read counts as a use, the session may be extended, so the registry gets the extended expiry.
    const expires = (isUse ? this.#rows.expiry({ token, absoluteEnd }) : storedExpiry).getTime()
    const presented = {
      ...{ id: readSessionId(token), owner: String(user.id), issuedAt: undefined, expires, isUse },
      findUser: async () => user,
      // A sealed token that can't be decrypted is replaced by this token. If the record has the sealed form of another
      // token, it stays: the session may already have a new token, and this older row is about to be deleted.
      resealToken: (sealed: string) =>
        ["", token].includes(this.#tokens.open(sealed)) ? this.#tokens.seal(token) : sealed,
      describe: () => ({ token: this.#tokens.seal(token), ...describeDevice(browser, session) }),
    }
    return this.registry?.isLive(presented) ?? true
  }

  /** Returns the session that the `session` callback returns. */
  async #toSession(
    { session, user, expires }: SessionRow,
    purpose: ReadPurpose,
  ): Promise<Session | DefaultSession | undefined> {
    const { callbacks } = this.#context
    const update =
      purpose.mode === "update" ? { newSession: purpose.data, trigger: "update" } : { newSession: undefined }
    // Concurrent requests share the row, so the callback gets a copy of the user. An instance of a class is not copied.
    const ownUser = isPlainObject(user) ? { ...user } : user
    // Database sessions have a user and no token, but the type of Auth.js requires both.
    const params = { session: { ...session, expires, user: ownUser }, user: ownUser, ...update } as unknown
    try {
      return await callbacks.session(params as Parameters<typeof callbacks.session>[0])
    } catch (error) {
      throw asAuthError(error) ?? new CallbackRouteError("callbacks.session threw an error", { err: asError(error) })
    }
  }
}

export const createDatabaseSessions = (context: DatabaseSessionContext): SessionStrategy =>
  new DatabaseSessions(context)
