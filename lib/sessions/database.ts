/**
 * Sessions in a store.
 *
 * @module
 */
import type { Adapter, AdapterSession, AdapterUser } from "../adapters/adapter.js"
import { waitUntil } from "../awaitable.js"
import type { ResolvedConfig } from "../config/resolve.js"
import {
  AdapterError,
  asAuthError,
  asError,
  CallbackRouteError,
  MissingAdapterMethods,
  SignOutError,
} from "../errors.js"
import type { CookieChange } from "../http/cookies.js"
import { isPlainObject } from "../merge.js"
import type { Runtime } from "../runtime.js"
import { CONFLICT } from "../security/session-values.js"
import { randomText } from "../security/tokens.js"
import type { DefaultSession, Session } from "../types.js"
import { endOfStored, withStart } from "./absolute-end.js"
import { createConflictLog, dropSession, findSession, sessionValues } from "./browser-session.js"
import { createEnded, type Ended } from "./ended.js"
import { ownTokens } from "./own-tokens.js"
import type { ReadPurpose, SessionCookies, SessionRead, SessionStrategy, SignedIn } from "./session.js"
import { createSharedReads } from "./shared-reads.js"

type SessionStore = Required<Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">> &
  Pick<Adapter, "deleteSessionsByUserId">

type Context = Pick<Runtime, "callbacks" | "emit" | "logger" | "now"> & {
  readonly config: ResolvedConfig
  readonly store: SessionStore
}

/** What a store gives for a session that it has deleted, if anything. */
type Removed = AdapterSession | null | undefined | void

/** A session as the store gave it, with its end as a date. */
interface Row {
  readonly token: string
  readonly session: AdapterSession
  readonly user: AdapterUser
  readonly expires: Date
  /** Milliseconds: use does not put its end off beyond this. */
  readonly absoluteEnd: number
  /** Was it prolonged just now? */
  readonly isRolled: boolean
}

const tooLate = (seconds: number) =>
  new AdapterError(`no session was read within ${seconds} s`, { method: "getSessionAndUser" })

/** Else everybody would be signed out at once, and nothing would say why. */
const withoutEnd = () =>
  new AdapterError("adapter.getSessionAndUser gave a session that has ended: its `expires` can't be read", {
    method: "getSessionAndUser",
    hint: "give `session.expires` as a Date, or as text of ISO 8601",
  })

/** No store has made a token with it, and Postgres refuses the query: a neighbour's cookie would be in everybody's way. */
const isText = (token: string): boolean => !token.includes("\0")

const tokensIn = (browser: SessionCookies): string[] => sessionValues(browser).filter(isText)

/** Sets the cookie, and clears chunks that a session of another kind has left. */
const put = (value: string, expires: Date, browser: SessionCookies): CookieChange[] => [
  ...dropSession(browser),
  { put: "sessionToken", value, expires },
]

const HOST_PREFIX = "__Host-"

/**
 * A token that was made for a `__Host-` cookie is valid in no other: a cookie of another name may come from another host.
 */
const isUnder = (name: string, token: string): boolean => !token.startsWith(HOST_PREFIX) || name.startsWith(HOST_PREFIX)

class DatabaseSessions implements SessionStrategy {
  readonly #context: Context
  readonly #createOwnToken: (() => string) | undefined
  readonly #logConflict: () => void
  readonly #ended: Ended
  readonly #reads = createSharedReads<Row | null>(tooLate)

  constructor(context: Context) {
    const { generateSessionToken } = context.config.session
    this.#context = context
    this.#ended = createEnded(context.now)
    this.#logConflict = createConflictLog(context.logger, context.now)
    this.#createOwnToken = generateSessionToken && ownTokens(generateSessionToken, context.logger)
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const { emit } = this.#context
    const mayRoll = purpose.mode !== "peek"
    const found = await this.#findIn(browser, (one) => this.#reads.read(one, () => this.#findAndRoll(one, mayRoll)))
    // Without this site's own cookie, the planted one alone would be the browser's session.
    if (found === CONFLICT) return { session: null, cookies: [] }
    if (!found) return { session: null, cookies: this.#ended.changesFor(browser, dropSession(browser)) }
    const { token } = found
    const session = (await this.#show(found, purpose)) ?? null
    // With this strategy there is no token; the contract's type has one.
    if (session) await emit("session", { session } as Parameters<NonNullable<ResolvedConfig["events"]["session"]>>[0])
    const isFormer = found.name !== browser.cookieSet.sessionToken.name
    const isKept = !found.isRolled && !isFormer && purpose.mode === "read"
    if (!mayRoll || isKept) return { session, cookies: [] }
    const prolonged = put(token, this.#expiry(found.absoluteEnd), browser)
    return { session, cookies: this.#ended.changesFor(browser, prolonged) }
  }

  async open({ user }: SignedIn, browser: SessionCookies): Promise<readonly CookieChange[]> {
    const { config, now, store } = this.#context
    const { absoluteMaxAge } = config.session
    const token = this.#createToken(browser)
    const asked = {
      sessionToken: absoluteMaxAge === undefined ? token : withStart(token, now()),
      // Forwarded as the store gave it: some count in numbers.
      userId: user.id ?? "",
      expires: this.#expiry(absoluteMaxAge === undefined ? Infinity : now() + absoluteMaxAge * 1000),
    }
    // Some stores give nothing back, or their row under other names.
    const stored: Partial<AdapterSession> | undefined = await store.createSession(asked)
    const { sessionToken = asked.sessionToken, expires = asked.expires } = stored ?? {}
    // Nobody gets its cookie: the session of before stays.
    if (browser.signal?.aborted) {
      await this.#remove(sessionToken)
      throw browser.signal.reason
    }
    this.#ended.note(browser, "replaced")
    // A token from before the sign-in may be known to somebody else.
    await this.#removeEarlier(browser)
    return put(sessionToken, new Date(expires), browser)
  }

  async close(browser: SessionCookies): Promise<readonly CookieChange[]> {
    if (tokensIn(browser).length === 0) return dropSession(browser)
    this.#ended.note(browser, "closed")
    try {
      await this.#context.emit("signOut", { session: await this.#removeAll(browser) })
    } catch (error) {
      const refusal = new SignOutError("the session could not be deleted and is still good", { err: asError(error) })
      throw Object.assign(refusal, { cookies: dropSession(browser) })
    }
    return dropSession(browser)
  }

  async closeAll(userId: string): Promise<void> {
    const { store } = this.#context
    if (!store.deleteSessionsByUserId)
      throw new MissingAdapterMethods(
        "the adapter lacks deleteSessionsByUserId(userId). Give it one that deletes the user's rows: Object.assign(adapter, { deleteSessionsByUserId: (userId) => … })",
      )
    try {
      await store.deleteSessionsByUserId(userId)
    } finally {
      // As with one: a read that began before must not answer whoever asks afterwards.
      this.#reads.forget()
    }
  }

  async currentUserId(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#findIn(browser, (one) => this.#find(one))
    if (found === CONFLICT) return undefined
    // As the store gave it: some count in numbers.
    return found?.user.id
  }

  async provenEmail(): Promise<undefined> {}

  #createToken({ cookieSet }: SessionCookies): string {
    if (this.#createOwnToken) return this.#createOwnToken()
    return cookieSet.sessionToken.name.startsWith(HOST_PREFIX) ? HOST_PREFIX + randomText() : randomText()
  }

  /** The browser's session, with the name of its cookie. A conflict of several is logged. */
  async #findIn<T extends Pick<Row, "user">>(browser: SessionCookies, find: (token: string) => Promise<T | null>) {
    const open = async (token: string, name: string): Promise<(T & { readonly name: string }) | undefined> => {
      const found = isText(token) && isUnder(name, token) ? await find(token) : null
      return found ? { ...found, name } : undefined
    }
    const found = await findSession(browser, { open, owner: ({ user }) => String(user.id) })
    if (found === CONFLICT) this.#logConflict()
    return found
  }

  /** Deletes them, by the answer's last moment or after it: a failure is the sign-in's, or the log's. */
  async #removeEarlier(browser: SessionCookies): Promise<void> {
    let isLate = false
    const removing = this.#removeAll(browser).then(
      () => {},
      (error: unknown) => {
        if (!isLate) throw error
        this.#context.logger.error(asError(error))
      },
    )
    await waitUntil(browser.lastMoment, removing)
    isLate = true
  }

  /** Deletes the rows of all of the browser's tokens; gives the one that was there. */
  async #removeAll(browser: SessionCookies): Promise<Removed> {
    const removed: Removed[] = []
    for (const token of tokensIn(browser)) removed.push(await this.#remove(token))
    return removed.find(Boolean) ?? removed[0]
  }

  async #findAndRoll(token: string, mayRoll: boolean): Promise<Row | null> {
    const found = await this.#find(token)
    if (!found || !mayRoll || !this.#isDue(found)) return found && { ...found, isRolled: false }
    try {
      await this.#context.store.updateSession({ sessionToken: token, expires: this.#expiry(found.absoluteEnd) })
    } catch (error) {
      // Some stores throw when the session was signed out meanwhile.
      if (await this.#find(token)) throw error
      return null
    }
    return { ...found, isRolled: true }
  }

  /** The row and its user, when it has not ended; an ended one is deleted. */
  async #find(token: string): Promise<Omit<Row, "isRolled"> | null> {
    const { now, store } = this.#context
    const found = await store.getSessionAndUser(token)
    // Some stores still give the session of a user who is gone, though their type has no word for that.
    if (!found?.user) return null
    // Some stores give dates as text.
    const stored = new Date(found.session.expires)
    const absoluteEnd = this.#absoluteEnd(token, stored)
    const expires = absoluteEnd < stored.getTime() ? new Date(absoluteEnd) : stored
    if (expires.getTime() >= now()) return { ...found, token, expires, absoluteEnd }
    if (Number.isNaN(expires.getTime())) this.#context.logger.error(withoutEnd())
    await this.#remove(token)
    return null
  }

  /** Deletes a row; that it is gone already is no failure, though some stores say so. */
  async #remove(token: string): Promise<Removed> {
    const { store } = this.#context
    try {
      return await store.deleteSession(token)
    } catch (error) {
      if (await store.getSessionAndUser(token)) throw error
      return undefined
    } finally {
      // A read that began before it was gone must not answer whoever asks afterwards.
      this.#reads.forget(token)
    }
  }

  /** The session as the application's callback shows it, if it does. */
  async #show({ session, user, expires }: Row, purpose: ReadPurpose): Promise<Session | DefaultSession | undefined> {
    const { callbacks } = this.#context
    const update =
      purpose.mode === "update" ? { newSession: purpose.data, trigger: "update" } : { newSession: undefined }
    // With this strategy there is a user and no token; the contract's type has both.
    // Others may share the row, and what one request changes, another must not see; a class of the store's stays one.
    const own = isPlainObject(user) ? { ...user } : user
    const params = { session: { ...session, expires, user: own }, user: own, ...update } as unknown
    try {
      return await callbacks.session(params as Parameters<typeof callbacks.session>[0])
    } catch (error) {
      throw asAuthError(error) ?? new CallbackRouteError("callbacks.session threw an error", { err: asError(error) })
    }
  }

  #isDue({ expires, absoluteEnd }: Omit<Row, "isRolled">): boolean {
    const { config, now } = this.#context
    const { maxAge, updateAge } = config.session
    // What can't be put off any more is not written at every read.
    if (expires.getTime() >= absoluteEnd) return false
    return expires.getTime() - maxAge * 1000 + updateAge * 1000 <= now()
  }

  #absoluteEnd(token: string, expires: Date): number {
    const { config, now } = this.#context
    const { maxAge, absoluteMaxAge } = config.session
    return absoluteMaxAge === undefined ? Infinity : endOfStored({ token, expires }, { maxAge, absoluteMaxAge }, now())
  }

  #expiry(absoluteEnd: number): Date {
    const { config, now } = this.#context
    return new Date(Math.min(now() + config.session.maxAge * 1000, absoluteEnd))
  }
}

export const createDatabaseSessions = (context: Context): SessionStrategy => new DatabaseSessions(context)
