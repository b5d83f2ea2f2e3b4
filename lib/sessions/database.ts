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
import { type CookieChange, dropChunked, readChunked } from "../http/cookies.js"
import { readFurther } from "../http/same-name.js"
import { isPlainObject } from "../merge.js"
import type { Runtime } from "../runtime.js"
import { randomText } from "../security/tokens.js"
import type { DefaultSession, Session } from "../types.js"
import { endOfStored, withStart } from "./absolute-end.js"
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

const tokensIn = ({ cookies, cookieSet }: SessionCookies): string[] => readChunked(cookies, cookieSet.sessionToken.name)

/** Of several cookies with one name, neighbours may have put theirs first. */
const furtherIn = ({ cookieHeader, cookieSet }: SessionCookies): string[] =>
  readFurther(cookieHeader, cookieSet.sessionToken.name)

/** No store has made a token with it, and Postgres refuses the query: a neighbour's cookie would be in everybody's way. */
const isText = (token: string): boolean => !token.includes("\0")

const allIn = (browser: SessionCookies): string[] => [...tokensIn(browser), ...furtherIn(browser)].filter(isText)

const dropped = ({ cookies, cookieSet }: SessionCookies): CookieChange[] =>
  dropChunked("sessionToken", cookies, cookieSet.sessionToken.name)

/** Sets the cookie, and clears chunks that a session of another kind has left. */
const put = (value: string, expires: Date, browser: SessionCookies): CookieChange[] => [
  ...dropped(browser).filter((change) => change.part !== undefined),
  { put: "sessionToken", value, expires },
]

class DatabaseSessions implements SessionStrategy {
  readonly #context: Context
  readonly #createToken: () => string
  readonly #ended: Ended
  readonly #reads = createSharedReads<Row | null>(tooLate)

  constructor(context: Context) {
    const { generateSessionToken } = context.config.session
    this.#context = context
    this.#ended = createEnded(context.now)
    this.#createToken = generateSessionToken ? ownTokens(generateSessionToken, context.logger) : randomText
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const { emit } = this.#context
    const found = await this.#first(browser, (one) => this.#reads.read(one, () => this.#findAndRoll(one)))
    if (!found) return { session: null, cookies: this.#ended.changesFor(browser, dropped(browser)) }
    const { token } = found
    const session = (await this.#show(found, purpose)) ?? null
    // With this strategy there is no token; the contract's type has one.
    if (session) await emit("session", { session } as Parameters<NonNullable<ResolvedConfig["events"]["session"]>>[0])
    if (!found.isRolled && purpose.mode === "read") return { session, cookies: [] }
    const prolonged = put(token, this.#expiry(found.absoluteEnd), browser)
    return { session, cookies: this.#ended.changesFor(browser, prolonged) }
  }

  async open({ user }: SignedIn, browser: SessionCookies): Promise<readonly CookieChange[]> {
    const { config, now, store } = this.#context
    const { absoluteMaxAge } = config.session
    const token = this.#createToken()
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
    if (allIn(browser).length === 0) return dropped(browser)
    this.#ended.note(browser, "closed")
    try {
      await this.#context.emit("signOut", { session: await this.#removeAll(browser) })
    } catch (error) {
      const refusal = new SignOutError("the session could not be deleted and is still good", { err: asError(error) })
      throw Object.assign(refusal, { cookies: dropped(browser) })
    }
    return dropped(browser)
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
    const found = await this.#first(browser, (one) => this.#find(one))
    // As the store gave it: some count in numbers.
    return found?.user.id
  }

  /** What is found for the first of the browser's tokens that is one. */
  async #first<T>(browser: SessionCookies, find: (token: string) => Promise<T | null>): Promise<T | null> {
    for (const tokensOf of [tokensIn, furtherIn])
      for (const token of tokensOf(browser)) {
        const found = isText(token) ? await find(token) : null
        if (found) return found
      }
    return null
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
    for (const token of allIn(browser)) removed.push(await this.#remove(token))
    return removed.find(Boolean) ?? removed[0]
  }

  async #findAndRoll(token: string): Promise<Row | null> {
    const found = await this.#find(token)
    if (!found || !this.#isDue(found)) return found && { ...found, isRolled: false }
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
