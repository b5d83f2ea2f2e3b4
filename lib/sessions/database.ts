/**
 * Sessions in a database, behind the adapter.
 *
 * @module
 */

import type { Adapter, AdapterSession, AdapterUser } from "../adapters/adapter.js"
import { waitUntil } from "../base/awaitable.js"
import { isPlainObject } from "../base/merge.js"
import type { CookieChange, DefaultSession, Session, SessionOrigin } from "../base/types.js"
import { createSingleFlight } from "../cache/single-flight.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import {
  AdapterError,
  asAuthError,
  asError,
  CallbackRouteError,
  MissingAdapterMethods,
  SignOutError,
} from "../errors/errors.js"
import { CONFLICT } from "../security/session-values.js"
import { randomText } from "../security/tokens.js"
import { absoluteExpiry, withIssuedAt } from "./absolute-timeout.js"
import { createConflictLog, dropSession, findSession, sessionValues } from "./browser-session.js"
import { checkGenerator } from "./check-generator.js"
import { createEndedSessions, type EndedSessions } from "./ended-sessions.js"
import { continueOrigin } from "./origin.js"
import type {
  NewSession,
  ReadPurpose,
  SessionCookies,
  SessionRead,
  SessionRuntime,
  SessionStrategy,
  SignedIn,
} from "./session.js"
import { createSessionRecords, type SessionRecords } from "./session-records.js"

type SessionAdapter = Required<
  Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">
> &
  Pick<Adapter, "deleteSessionsByUserId">

type DatabaseSessionContext = Pick<SessionRuntime, "callbacks" | "emit" | "logger" | "now" | "store"> & {
  readonly config: ResolvedConfig
  readonly adapter: SessionAdapter
}

/** What `deleteSession` returns: the deleted session, or nothing. */
type DeletedSession = AdapterSession | null | undefined | void

/** A session and its user as the adapter returned them, with the expiry as a date. */
interface SessionRow {
  readonly token: string
  readonly session: AdapterSession
  readonly user: AdapterUser
  readonly expires: Date
  /** The absolute expiry in milliseconds, beyond which the session is not extended. */
  readonly absoluteEnd: number
  /** True if this read has extended the session. */
  readonly isRolled: boolean
}

const createTimeoutError = (seconds: number) =>
  new AdapterError(`adapter.getSessionAndUser did not respond within ${seconds} s`, { method: "getSessionAndUser" })

/** The error to log for an invalid expiry. Without it, all users would be signed out for no visible reason. */
const createExpiryError = () =>
  new AdapterError(
    "adapter.getSessionAndUser returned a session whose `expires` is not a date: it is treated as ended",
    {
      method: "getSessionAndUser",
      hint: "return `session.expires` as a Date, or as ISO 8601 text",
    },
  )

/** False for a cookie with a NUL character. PostgreSQL rejects it, so a planted cookie would make every read fail. */
const isQueryable = (token: string): boolean => !token.includes("\0")

const readTokens = (browser: SessionCookies): string[] => sessionValues(browser).filter(isQueryable)

/** Sets the session cookie, and clears the chunks of an earlier encrypted session. */
const put = (value: string, expires: Date, browser: SessionCookies): CookieChange[] => [
  ...dropSession(browser),
  { put: "sessionToken", value, expires },
]

const HOST_PREFIX = "__Host-"

/** A token that was created for a `__Host-` cookie is valid only in one: other cookies may come from another host. */
const isValidUnder = (name: string, token: string): boolean =>
  !token.startsWith(HOST_PREFIX) || name.startsWith(HOST_PREFIX)

class DatabaseSessions implements SessionStrategy {
  readonly #context: DatabaseSessionContext
  readonly #createOwnToken: (() => string) | undefined
  readonly #logConflict: () => void
  readonly #ended: EndedSessions
  readonly #reads = createSingleFlight<SessionRow | null>(createTimeoutError)
  readonly #records: SessionRecords

  constructor(context: DatabaseSessionContext) {
    const { generateSessionToken } = context.config.session
    this.#context = context
    this.#records = createSessionRecords(context.store)
    this.#ended = createEndedSessions(context.now)
    this.#logConflict = createConflictLog(context.logger, context.now)
    this.#createOwnToken = generateSessionToken && checkGenerator(generateSessionToken, context.logger)
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const { emit } = this.#context
    const mayRoll = purpose.mode !== "peek"
    const find = (token: string) => this.#reads.read(token, () => this.#findAndRoll(token, mayRoll))
    const found = await this.#findInCookies(browser, find)
    // Clear nothing: if only this site's own cookie were cleared, the planted one would become the browser's session.
    if (found === CONFLICT) return { session: null, cookies: [] }
    if (!found) return { session: null, cookies: this.#ended.filterCookieChanges(browser, dropSession(browser)) }
    const { token } = found
    const session = (await this.#toSession(found, purpose)) ?? null
    // Database sessions have no token, but the type of Auth.js requires one.
    if (session) await emit("session", { session } as Parameters<NonNullable<ResolvedConfig["events"]["session"]>>[0])
    const hasFormerName = found.name !== browser.cookieSet.sessionToken.name
    const keepsCookie = !found.isRolled && !hasFormerName && purpose.mode === "read"
    const owner = String(found.user.id)
    if (!mayRoll || keepsCookie) return { session, cookies: [], owner }
    const changes = put(token, this.#expiry(found.absoluteEnd), browser)
    return { session, owner, cookies: this.#ended.filterCookieChanges(browser, changes) }
  }

  async create({ user, origin, isConnection }: SignedIn, browser: SessionCookies): Promise<NewSession> {
    const sessionOrigin = isConnection ? continueOrigin(await this.origin(browser), origin) : origin
    const { config, now, adapter } = this.#context
    const { absoluteMaxAge } = config.session
    const token = this.#createToken(browser)
    const row = {
      sessionToken: absoluteMaxAge === undefined ? token : withIssuedAt(token, now()),
      // Not converted to text: some adapters have numeric ids.
      userId: user.id ?? "",
      expires: this.#expiry(absoluteMaxAge === undefined ? Infinity : now() + absoluteMaxAge * 1000),
    }
    // Some adapters return nothing, or a row with other names.
    const stored: Partial<AdapterSession> | undefined = await adapter.createSession(row)
    const { sessionToken = row.sessionToken, expires = row.expires } = stored ?? {}
    await this.#records.create(sessionToken, sessionOrigin, new Date(expires))
    // The response was abandoned: the browser does not get the new cookie, so its previous session stays valid.
    if (browser.signal?.aborted) {
      await this.#remove(sessionToken)
      throw browser.signal.reason
    }
    this.#ended.record(browser, "replaced")
    // Another party may know a token from before the sign-in (session fixation).
    await this.#removePrevious(browser)
    return { cookies: put(sessionToken, new Date(expires), browser), userId: user.id }
  }

  async destroy(browser: SessionCookies): Promise<readonly CookieChange[]> {
    if (readTokens(browser).length === 0) return dropSession(browser)
    this.#ended.record(browser, "closed")
    try {
      await this.#context.emit("signOut", { session: await this.#removeAll(browser) })
    } catch (error) {
      const failure = new SignOutError("the session could not be deleted and is still valid", { err: asError(error) })
      failure.cookies = dropSession(browser)
      throw failure
    }
    return dropSession(browser)
  }

  async destroyAll(userId: string): Promise<void> {
    const { adapter } = this.#context
    if (!adapter.deleteSessionsByUserId)
      throw new MissingAdapterMethods(
        "the adapter lacks deleteSessionsByUserId(userId). Add one that deletes the user's rows: Object.assign(adapter, { deleteSessionsByUserId: (userId) => … })",
      )
    try {
      await adapter.deleteSessionsByUserId(userId)
    } finally {
      // Later requests must not join a read that began before the deletion.
      this.#reads.invalidate()
    }
  }

  async currentUserId(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#findInCookies(browser, (token) => this.#find(token))
    if (found === CONFLICT) return undefined
    // Not converted to text: some adapters have numeric ids.
    return found?.user.id
  }

  async verifiedEmail(): Promise<undefined> {}

  async origin(browser: SessionCookies): Promise<SessionOrigin | undefined> {
    for (const token of readTokens(browser)) {
      const origin = await this.#records.readOrigin(token)
      if (origin) return origin
    }
    return undefined
  }

  #createToken({ cookieSet }: SessionCookies): string {
    if (this.#createOwnToken) return this.#createOwnToken()
    return cookieSet.sessionToken.name.startsWith(HOST_PREFIX) ? HOST_PREFIX + randomText() : randomText()
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
  async #removePrevious(browser: SessionCookies): Promise<void> {
    let isLate = false
    const removing = this.#removeAll(browser).then(
      () => {},
      (error: unknown) => {
        if (!isLate) throw error
        this.#context.logger.error(asError(error))
      },
    )
    await waitUntil(browser.softDeadline, removing)
    isLate = true
  }

  /** Deletes the sessions of all tokens of the browser. Returns the one that existed. */
  async #removeAll(browser: SessionCookies): Promise<DeletedSession> {
    const removed: DeletedSession[] = []
    for (const token of readTokens(browser)) removed.push(await this.#remove(token))
    return removed.find(Boolean) ?? removed[0]
  }

  async #findAndRoll(token: string, mayRoll: boolean): Promise<SessionRow | null> {
    const found = await this.#find(token)
    if (!found || !mayRoll || !this.#isDue(found)) return found && { ...found, isRolled: false }
    try {
      await this.#context.adapter.updateSession({ sessionToken: token, expires: this.#expiry(found.absoluteEnd) })
    } catch (error) {
      // Some adapters throw if the session was deleted in the meantime.
      if (await this.#find(token)) throw error
      return null
    }
    await this.#extendRecord(token, this.#expiry(found.absoluteEnd))
    return { ...found, isRolled: true }
  }

  /** Extends the record in the store. A failure is only logged, because the session itself is extended. */
  async #extendRecord(token: string, expires: Date): Promise<void> {
    try {
      await this.#records.extend(token, expires)
    } catch (error) {
      this.#context.logger.error(asError(error))
    }
  }

  /** The session and its user; null if it does not exist or has expired. An expired session is deleted. */
  async #find(token: string): Promise<Omit<SessionRow, "isRolled"> | null> {
    const { now, adapter } = this.#context
    const found = await adapter.getSessionAndUser(token)
    // Some adapters return the session of a deleted user, although their type does not allow it.
    if (!found?.user) return null
    // Some adapters return dates as text.
    const stored = new Date(found.session.expires)
    const absoluteEnd = this.#absoluteEnd(token, stored)
    const expires = absoluteEnd < stored.getTime() ? new Date(absoluteEnd) : stored
    if (expires.getTime() >= now()) return { ...found, token, expires, absoluteEnd }
    if (Number.isNaN(expires.getTime())) this.#context.logger.error(createExpiryError())
    await this.#remove(token)
    return null
  }

  /** Deletes a session. Some adapters throw if it no longer exists; that is ignored. */
  async #remove(token: string): Promise<DeletedSession> {
    const { adapter } = this.#context
    try {
      const deleted = await adapter.deleteSession(token)
      await this.#records.delete(token)
      return deleted
    } catch (error) {
      if (await adapter.getSessionAndUser(token)) throw error
      return undefined
    } finally {
      // Later requests must not join a read that began before the deletion.
      this.#reads.invalidate(token)
    }
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

  #isDue({ expires, absoluteEnd }: Omit<SessionRow, "isRolled">): boolean {
    const { config, now } = this.#context
    const { maxAge, updateAge } = config.session
    // A session at its absolute end can't be extended, so it is not written at every read.
    if (expires.getTime() >= absoluteEnd) return false
    return expires.getTime() - maxAge * 1000 + updateAge * 1000 <= now()
  }

  #absoluteEnd(token: string, expires: Date): number {
    const { config, now } = this.#context
    const { maxAge, absoluteMaxAge } = config.session
    return absoluteMaxAge === undefined
      ? Infinity
      : absoluteExpiry({ token, expires }, { maxAge, absoluteMaxAge }, now())
  }

  #expiry(absoluteEnd: number): Date {
    const { config, now } = this.#context
    return new Date(Math.min(now() + config.session.maxAge * 1000, absoluteEnd))
  }
}

export const createDatabaseSessions = (context: DatabaseSessionContext): SessionStrategy =>
  new DatabaseSessions(context)
