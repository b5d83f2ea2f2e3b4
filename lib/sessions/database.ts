/**
 * Sessions in a database, behind the adapter.
 *
 * @module
 */

import type { AdapterSession } from "../adapters/adapter.js"
import { type Awaitable, waitUntil } from "../base/awaitable.js"
import { isPlainObject } from "../base/merge.js"
import type { CookieChange, DefaultSession, Session, SessionOrigin } from "../base/types.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { asAuthError, asError, CallbackRouteError, MissingAdapterMethods, SignOutError } from "../errors/errors.js"
import { CONFLICT } from "../security/session-values.js"
import { withIssuedAt } from "./absolute-timeout.js"
import { createConflictLog, dropSession, findSession } from "./browser-session.js"
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
import { continueOrigin } from "./origin.js"
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
  /** The row, if the adapter returns it. */
  readonly row: DeletedSession
  readonly registered?: RegisteredSession | undefined
}

/** Sets the session cookie, and clears the chunks of an earlier encrypted session. */
const put = (value: string, expires: Date, browser: SessionCookies): CookieChange[] => [
  ...dropSession(browser),
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
    this.#rows = new SessionRows({ ...context, isLive: (...read) => this.#isLive(...read) })
    this.registry = createRegistry(context, (token) => this.#deleteSealed(token))
    this.#ended = createEndedSessions(context.now)
    this.#logConflict = createConflictLog(context.logger, context.now)
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const { emit } = this.#context
    const mayRoll = purpose.mode !== "peek"
    const found = await this.#findInCookies(browser, (token) => this.#rows.findShared(token, browser, mayRoll))
    // Clear nothing: if only this site's own cookie were cleared, the planted one would become the browser's session.
    if (found === CONFLICT) return { session: null, cookies: [] }
    if (!found) return { session: null, cookies: this.#ended.filterCookieChanges(browser, dropSession(browser)) }
    const { token } = found
    const session = (await this.#toSession(found, purpose)) ?? null
    // Database sessions have no token, but the type of Auth.js requires one.
    if (session) await emit("session", { session } as Parameters<NonNullable<ResolvedConfig["events"]["session"]>>[0])
    const hasFormerName = found.name !== browser.cookieSet.sessionToken.name
    const keepsCookie = !found.isRolled && !hasFormerName && purpose.mode === "read"
    const names = { id: readSessionId(token), owner: String(found.user.id) }
    if (!mayRoll || keepsCookie) return { session, cookies: [], ...names }
    const changes = put(token, this.#rows.expiry(found), browser)
    return { session, ...names, cookies: this.#ended.filterCookieChanges(browser, changes) }
  }

  async create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession> {
    const { user, isConnection, logoutHint, startedAt = this.#context.now() } = signedIn
    const previous = isConnection ? await this.origin(browser) : undefined
    const origin = isConnection ? continueOrigin(previous, signedIn.origin) : signedIn.origin
    const { config, now, adapter } = this.#context
    const { absoluteMaxAge } = config.session
    const marked = withPersistence(this.#tokens.create(origin.id, browser), this.#isPersistent(signedIn, browser))
    const token = absoluteMaxAge === undefined ? marked : withIssuedAt(marked, now())
    const absoluteEnd = absoluteMaxAge === undefined ? Infinity : now() + absoluteMaxAge * 1000
    // The id is not converted to text: some adapters have numeric ids.
    const row = { sessionToken: token, userId: user.id ?? "", expires: this.#rows.expiry({ token, absoluteEnd }) }
    // Some adapters return nothing, or a row with other names.
    const stored: Partial<AdapterSession> | undefined = await adapter.createSession(row)
    const { sessionToken = row.sessionToken, expires = row.expires } = stored ?? {}
    const id = readSessionId(sessionToken)
    const sealed = this.#tokens.seal(sessionToken)
    try {
      const device = describeDevice(browser, config.session)
      const opened = { id, origin: { ...origin, id }, token: sealed, logoutHint, ...device }
      const times = { createdAt: now(), lastSeenAt: now(), expires: new Date(expires).getTime() }
      if (previous?.id === id) await this.registry?.replaceToken(id, sealed)
      else await this.registry?.add({ ...opened, ...times }, startedAt)
    } catch (error) {
      await this.#rows.delete(sessionToken)
      throw error
    }
    // The response was abandoned: the browser does not get the new cookie, so its previous session stays valid.
    if (browser.signal?.aborted) {
      await this.#end(sessionToken)
      throw browser.signal.reason
    }
    this.#ended.record(browser, "replaced")
    // Another party may know a token from before the sign-in (session fixation).
    await this.#removePrevious(browser, id)
    return { cookies: put(sessionToken, new Date(expires), browser), userId: user.id, id }
  }

  /** A connection of another account continues the session. A planted cookie can at most make it end earlier. */
  #isPersistent({ isConnection, remember }: SignedIn, browser: SessionCookies): boolean {
    if (isConnection) return readTokens(browser).every(isPersistentToken)
    return decidePersistence(this.#context.config.session.remember, remember)
  }

  async destroy(browser: SessionCookies): Promise<DestroyedSession> {
    const cookies = dropSession(browser)
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
        "without a store, ending the sessions of a user needs deleteSessionsByUserId(userId) of the adapter, and ends all of them. Set store: RedisStore(redis), or another store of docs/stores.md",
      )
    try {
      // It also deletes the rows of sessions that are not registered yet. The registry refuses those of other adapters.
      if (except === undefined) await adapter.deleteSessionsByUserId?.(owner)
      await this.registry?.endAll({ owner }, { except })
    } finally {
      this.#rows.invalidate()
    }
  }

  async currentUserId(browser: SessionCookies): Promise<string | undefined> {
    // Not converted to text: some adapters have numeric ids.
    return (await this.#findRow(browser))?.user.id
  }

  async currentSessionId(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#findInCookies(browser, (token) => this.#rows.find(token, browser))
    return found && found !== CONFLICT ? readSessionId(found.token) : undefined
  }

  async verifiedEmail(): Promise<undefined> {}

  async origin(browser: SessionCookies): Promise<SessionOrigin | undefined> {
    const found = await this.#findRow(browser)
    // The record of another cookie must not vouch for this session: records outlive their rows.
    const origin = found && (await this.#findRegistered(found.token))?.origin
    return origin?.owner === String(found?.user.id) ? origin : undefined
  }

  get keepsOrigin(): boolean {
    return this.registry !== undefined
  }

  async confirm(
    browser: SessionCookies,
    confirmed: SessionOrigin,
    logoutHint?: string,
  ): Promise<readonly CookieChange[]> {
    const found = await this.#findRow(browser)
    if (found && confirmed.owner === String(found.user.id))
      await this.registry?.confirm(readSessionId(found.token), confirmed, logoutHint)
    return []
  }

  /** The registered session of a token. The id in a cookie proves nothing: users can see the ids of their sessions. */
  async #findRegistered(token: string): Promise<RegisteredSession | undefined> {
    const found = await this.registry?.find(readSessionId(token))
    return found && this.#tokens.open(found.token) === token ? found : undefined
  }

  /** The row of the browser's session; undefined without a session, and for a conflict of several sessions. */
  async #findRow(browser: SessionCookies): Promise<StoredSession | undefined> {
    const found = await this.#findInCookies(browser, (token) => this.#rows.find(token, browser))
    return found === CONFLICT ? undefined : found
  }

  /** The browser's session, with the name of its cookie. Logs a conflict of several sessions. */
  async #findInCookies<T extends Pick<SessionRow, "user">>(
    browser: SessionCookies,
    find: (token: string) => Promise<T | null>,
  ) {
    const open = async (token: string, name: string): Promise<(T & { readonly name: string }) | undefined> => {
      const found = isQueryable(token) && isValidUnder(name, token) ? await find(token) : null
      return found ? { ...found, name } : undefined
    }
    const found = await findSession(browser, { open, owner: ({ user }) => String(user.id) })
    if (found === CONFLICT) this.#logConflict()
    return found
  }

  /**
   * Deletes the browser's previous sessions. A failure before the soft deadline fails the sign-in; after it the
   * sign-in no longer waits, and a failure is logged.
   */
  async #removePrevious(browser: SessionCookies, newId: string): Promise<void> {
    let isLate = false
    const removing = this.#removeAll(browser, newId).then(
      () => {},
      (error: unknown) => {
        if (!isLate) throw error
        this.#context.logger.error(asError(error))
      },
    )
    await waitUntil(browser.softDeadline, removing)
    isLate = true
  }

  /** Ends the sessions of all tokens of the browser, except `newId`. */
  async #removeAll(browser: SessionCookies, newId?: string): Promise<RemovedSession[]> {
    const removed: RemovedSession[] = []
    for (const token of readTokens(browser))
      removed.push(readSessionId(token) === newId ? { row: await this.#rows.delete(token) } : await this.#end(token))
    return removed
  }

  /** Ends the session of a token. */
  async #end(token: string): Promise<RemovedSession> {
    const registered = await this.#findRegistered(token)
    const row = await this.#rows.delete(token)
    if (registered) await this.registry?.endDeleted(registered)
    return { row, registered }
  }

  async #deleteSealed(sealed: string): Promise<void> {
    const token = this.#tokens.open(sealed)
    if (token) await this.#rows.delete(token)
  }

  /** True without a registry, and if the registry has the session. */
  #isLive(
    { token, user, expires: stored, absoluteEnd }: StoredSession,
    browser: SessionCookies,
    isUse: boolean,
  ): Awaitable<boolean> {
    const { session } = this.#context.config
    // The read may extend the session.
    const expires = (isUse ? this.#rows.expiry({ token, absoluteEnd }) : stored).getTime()
    const presented = {
      ...{ id: readSessionId(token), owner: String(user.id), issuedAt: undefined, expires, isUse },
      findUser: async () => user,
      // The record may already have the token of a newer row, and this row is about to be deleted.
      resealToken: (sealed: string) =>
        ["", token].includes(this.#tokens.open(sealed)) ? this.#tokens.seal(token) : sealed,
      describe: () => ({ token: this.#tokens.seal(token), ...describeDevice(browser, session) }),
    }
    return this.registry?.isLive(presented) ?? true
  }

  /** The session that the `session` callback returns, if any. */
  async #toSession(
    { session, user, expires }: SessionRow,
    purpose: ReadPurpose,
  ): Promise<Session | DefaultSession | undefined> {
    const { callbacks } = this.#context
    const update =
      purpose.mode === "update" ? { newSession: purpose.data, trigger: "update" } : { newSession: undefined }
    // Concurrent requests share the row, so the callback gets a copy. An instance of the adapter's class is not copied.
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
