/**
 * Reads, extends and deletes the adapter's rows of database sessions.
 *
 * @module
 */
import type { Adapter, AdapterSession, AdapterUser } from "../adapters/adapter.js"
import type { Awaitable } from "../base/awaitable.js"
import { createSingleFlight } from "../cache/single-flight.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { AdapterError } from "../errors/errors.js"
import { absoluteExpiry } from "./absolute-timeout.js"
import { createAges, isPersistentToken } from "./persistence.js"
import type { SessionCookies, SessionRuntime } from "./session.js"

export type SessionAdapter = Required<
  Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">
> &
  Pick<Adapter, "deleteSessionsByUserId">

interface RowOptions extends Pick<SessionRuntime, "logger" | "now"> {
  readonly config: ResolvedConfig
  readonly adapter: SessionAdapter
  /** Returns false if the session has ended in the registry. The adapter may still have its row. */
  readonly isLive: (session: StoredSession, browser: SessionCookies, isUse: boolean) => Awaitable<boolean>
}

/** The result of the adapter's `deleteSession`: the deleted session, or nothing. */
export type DeletedSession = AdapterSession | null | undefined | void

/** A session and its user as the adapter returned them, with the session's token and expiry. */
export interface StoredSession {
  readonly token: string
  readonly session: AdapterSession
  readonly user: AdapterUser
  /** The expiry as a date, at most `absoluteEnd`. */
  readonly expires: Date
  /** The absolute expiry in milliseconds since 1970, or Infinity. The session is not extended beyond it. */
  readonly absoluteEnd: number
}

/** A session that `findShared` has read. */
export interface SessionRow extends StoredSession {
  /** True if this read has extended the session. */
  readonly isExtended: boolean
}

const createTimeoutError = (seconds: number) =>
  new AdapterError(`adapter.getSessionAndUser did not respond within ${seconds} s`, { method: "getSessionAndUser" })

/**
 * Creates the error to log for an invalid expiry. Without the log, all users would be signed out for no visible reason.
 */
const createExpiryError = () =>
  new AdapterError(
    "adapter.getSessionAndUser returned a session whose `expires` is not a date, so the session is treated as ended",
    {
      method: "getSessionAndUser",
      hint: "return `session.expires` as a Date, or as ISO 8601 text",
    },
  )

/** Reads, extends and deletes rows. */
export class SessionRows {
  readonly #options: RowOptions
  readonly #reads = createSingleFlight<SessionRow | null>(createTimeoutError)
  readonly #agesFor: ReturnType<typeof createAges>

  constructor(options: RowOptions) {
    this.#options = options
    this.#agesFor = createAges(options.config.session)
  }

  /**
   * Finds a session; with `mayExtend`, also extends it if an extension is due. Concurrent requests share one read.
   * Returns null if the session does not exist or has ended.
   */
  async findShared(token: string, browser: SessionCookies, mayExtend: boolean): Promise<SessionRow | null> {
    const found = await this.#reads.read(token, () => this.#findAndExtend(token, browser, mayExtend))
    // The session may have ended during the read, which another request may have started.
    return found && (await this.#options.isLive(found, browser, mayExtend)) ? found : null
  }

  async #findAndExtend(token: string, browser: SessionCookies, mayExtend: boolean): Promise<SessionRow | null> {
    const found = await this.find(token, browser, mayExtend)
    if (!found || !mayExtend || !this.#isDueForExtension(found)) return found && { ...found, isExtended: false }
    try {
      await this.#options.adapter.updateSession({ sessionToken: token, expires: this.expiry(found) })
    } catch (error) {
      // Some adapters throw if the session was deleted in the meantime. Then it has ended.
      if (await this.find(token, browser)) throw error
      return null
    }
    return { ...found, isExtended: true }
  }

  /**
   * Returns the session and its user; null if the session does not exist or has ended. Deletes the row of an ended
   * session. `isUse` is true if the request counts as a use of the session.
   */
  async find(token: string, browser: SessionCookies, isUse = false): Promise<StoredSession | null> {
    const { now, adapter } = this.#options
    const found = await adapter.getSessionAndUser(token)
    // Some adapters return the session of a deleted user, although their type does not allow it.
    if (!found?.user) return null
    // Some adapters return dates as text.
    const storedExpiry = new Date(found.session.expires)
    const absoluteEnd = this.#absoluteEnd(token, storedExpiry)
    const expires = absoluteEnd < storedExpiry.getTime() ? new Date(absoluteEnd) : storedExpiry
    const row = { ...found, token, expires, absoluteEnd }
    if (expires.getTime() >= now() && (await this.#options.isLive(row, browser, isUse))) return row
    if (Number.isNaN(expires.getTime())) this.#options.logger.error(createExpiryError())
    await this.delete(token)
    return null
  }

  /**
   * Deletes a session's row and returns the result of the adapter. Some adapters throw if the row does not exist; such
   * an error is ignored.
   */
  async delete(token: string): Promise<DeletedSession> {
    const { adapter } = this.#options
    try {
      return await adapter.deleteSession(token)
    } catch (error) {
      if (await adapter.getSessionAndUser(token)) throw error
      return undefined
    } finally {
      // Later requests must not join a read that began before the deletion.
      this.#reads.invalidate(token)
    }
  }

  /** Stops later requests from joining a read in progress. It is called after all rows of a user were deleted. */
  invalidate(): void {
    this.#reads.invalidate()
  }

  #isDueForExtension({ token, expires, absoluteEnd }: StoredSession): boolean {
    const { now } = this.#options
    const { maxAge, updateAge } = this.#agesFor(isPersistentToken(token))
    // A session that already lasts until its absolute end can't be extended. Without this check, each read would write
    // it.
    if (expires.getTime() >= absoluteEnd) return false
    return expires.getTime() - maxAge * 1000 + updateAge * 1000 <= now()
  }

  #absoluteEnd(token: string, expires: Date): number {
    const { config, now } = this.#options
    const { absoluteMaxAge } = config.session
    const { maxAge } = this.#agesFor(isPersistentToken(token))
    return absoluteMaxAge === undefined
      ? Infinity
      : absoluteExpiry({ token, expires }, { maxAge, absoluteMaxAge }, now())
  }

  /** Returns the expiry of a session that is extended now. */
  expiry({ token, absoluteEnd }: Pick<StoredSession, "token" | "absoluteEnd">): Date {
    const { maxAge } = this.#agesFor(isPersistentToken(token))
    return new Date(Math.min(this.#options.now() + maxAge * 1000, absoluteEnd))
  }
}
