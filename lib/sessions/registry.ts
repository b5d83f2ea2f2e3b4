/**
 * The registry of sessions. It has a record in the store for each session, so that users can list their sessions, and
 * end them in all processes within a second.
 *
 * A session without a record has ended. The exception is a session for whose id `mayBeUnregistered` returns true, such
 * as a session that was created without a store. It is registered at its first use.
 *
 * A process caches a record for 30 seconds. It also keeps a list of ended sessions (the feed), which is at most a
 * second old. If a session is in the list, the process reads the session's record again.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util"
import type { Awaitable } from "../base/awaitable.js"
import { mapConcurrently } from "../base/task-queue.js"
import { withTimeout } from "../base/timeout.js"
import type { SessionAuthentication } from "../base/types.js"
import { createLruCache } from "../cache/lru-cache.js"
import { createSingleFlight, READ_TIMEOUT_MS } from "../cache/single-flight.js"
import { AccessDenied, AdapterError, asError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { isSessionId, mayBeUnregistered } from "../security/session-id.js"
import { type ActivityCheck, createActivityCheck } from "./activity.js"
import { isAtSameProvider, mergeAuthentication } from "./authentication.js"
import { createEndedFeed, type EndedFeed } from "./ended-feed.js"
import type {
  PresentedSession,
  RegisteredSession,
  SessionData,
  SessionGroup,
  SessionRegistry,
  SessionRuntime,
} from "./session.js"
import {
  groupAddress,
  hashOwner,
  providerGroups,
  SESSION_KIND,
  type SessionRecord,
  SessionRecords,
  sessionGroups,
  TOUCH_INTERVAL_MS,
} from "./session-records.js"
import { createWatchers, type WatchedSession, type Watchers } from "./watchers.js"

/** How long a process caches a record. */
const CACHE_MS = 30_000
const MAX_CACHED = 10_000
/** How many sessions of a group are deleted concurrently. Other requests also need connections to the store. */
const MAX_REMOVALS = 10
/**
 * If a deletion takes longer than this, its entry in the feed is written again. Otherwise the first entry could expire
 * while another process still caches a record that it read during the deletion.
 */
const SLOW_DELETION_MS = 15_000

interface RegistryOptions {
  readonly records: SessionRecords
  readonly feed: EndedFeed
  readonly activity: ActivityCheck | undefined
  readonly logger: Logger
  readonly now: () => number
  /** From this time on (in milliseconds since 1970), sessions that are not registered yet are rejected. */
  readonly unregisteredUntil: number
  /** Deletes a database session from the adapter. */
  readonly deleteRow: (sealedToken: string) => Promise<void>
}

interface CachedRecord extends SessionRecord {
  readonly readAt: number
}

const createTimeoutError = (seconds = READ_TIMEOUT_MS / 1000) =>
  new AdapterError(`the store did not respond within ${seconds} s`, { method: "store" })

/** @throws AdapterError if the store has not responded in time */
const withinTimeLimit = <T>(work: Promise<T>): Promise<T> => withTimeout(work, READ_TIMEOUT_MS, createTimeoutError)

class StoredRegistry implements SessionRegistry {
  readonly #options: RegistryOptions
  readonly #records: SessionRecords
  readonly #feed: EndedFeed
  readonly #cache = createLruCache<CachedRecord>(MAX_CACHED)
  readonly #reads = createSingleFlight<CachedRecord>(createTimeoutError)

  readonly #watchers: Watchers

  constructor(options: RegistryOptions) {
    this.#options = options
    this.#records = options.records
    this.#feed = options.feed
    this.#watchers = createWatchers({ ...options, find: (id) => withinTimeLimit(this.find(id)) })
  }

  async add({ id, ...data }: RegisteredSession, startedAt: number): Promise<void> {
    const owner = data.authentication?.owner
    await this.#records.write(id, data, { ownerHash: owner === undefined ? undefined : hashOwner(owner) })
    // Checked after the write: if another process ends all sessions at the same time, either this check finds the
    // cutoff, or the other process finds the record. A session that started in the same millisecond as the cutoff is
    // accepted, because an application may end all sessions and then create one.
    if (!(await this.#isCutOff(sessionGroups(data), startedAt + 1))) return
    await this.#remove(id, data)
    throw new AccessDenied("all sessions of the user were ended during this sign-in")
  }

  isLive(session: PresentedSession): Awaitable<boolean> {
    const cached = this.#findCached(session.id)
    const isLive =
      cached && this.#feed.isFresh()
        ? this.#checkAndTouch(cached, session)
        : withinTimeLimit(this.#isLiveInStore(session))
    return this.#options.activity ? this.#isLiveAndActive(isLive, session, this.#options.activity) : isLive
  }

  async find(id: string): Promise<RegisteredSession | undefined> {
    const { data } = await this.#read(id)
    return data && { id, ...data }
  }

  watch(session: WatchedSession, onEnd: () => void): () => void {
    return this.#watchers.add(session, onEnd)
  }

  async recordReauthentication(
    id: string,
    reauthentication: SessionAuthentication,
    logoutHint?: string,
  ): Promise<SessionAuthentication | undefined> {
    const merge = ({ authentication = { ...reauthentication, id } }: SessionData) => ({
      authentication: mergeAuthentication(authentication, reauthentication),
      ...(logoutHint !== undefined && isAtSameProvider(authentication, reauthentication) && { logoutHint }),
    })
    return (await this.#update(id, merge))?.authentication
  }

  async replaceToken(id: string, token: string): Promise<void> {
    await this.#update(id, () => ({ token }))
  }

  /** Changes the record of a session and returns its content; returns undefined if the session has ended. */
  async #update(id: string, change: (data: SessionData) => Partial<SessionData>): Promise<SessionData | undefined> {
    const { version, ownerHash, data } = await this.#read(id)
    const changed = data && { ...data, ...change(data) }
    if (!changed || isDeepStrictEqual(changed, data)) return changed
    if (!(await this.#records.write(id, changed, { ownerHash, ifVersion: version }))) {
      // If another request has changed the record in the meantime, the change is repeated.
      return this.#update(id, change)
    }
    this.#cache.delete(id)
    return changed
  }

  list(group: SessionGroup): Promise<RegisteredSession[]> {
    return this.#records.list(group)
  }

  async end(id: string, validUntil?: number): Promise<RegisteredSession | undefined> {
    const { data } = await this.#read(id)
    await this.#announceAndRemove({ session: id }, () => this.#remove(id, data, validUntil))
    return data && { id, ...data }
  }

  endDeleted({ id, token: _, ...data }: RegisteredSession): Promise<void> {
    return this.#announceAndRemove({ session: id }, () => this.#remove(id, data))
  }

  async endAll(group: SessionGroup, options: { readonly except?: string | undefined } = {}): Promise<void> {
    const { kind, owner: ownerHash } = groupAddress(group)
    const isOwnersGroup = kind === SESSION_KIND
    // A text that is not a session id can't match a session, and must not fill the feed.
    const except = isSessionId(options.except ?? "") ? options.except : undefined
    await this.#records.writeCutoff(group)
    const remove = ({ id, ...data }: RegisteredSession) => this.#remove(id, data)
    if (isOwnersGroup)
      await this.#announceAndRemove({ owner: ownerHash, except }, () =>
        this.#forEach(group, { except: options.except, work: remove }),
      )
    // The feed has entries for sessions and owners, but not for the groups of a provider. So each session gets its own
    // entry.
    else
      await this.#forEach(group, {
        work: (session) => this.#announceAndRemove({ session: session.id }, () => remove(session)),
      })
  }

  /** Runs `work` for the sessions of a group, several at once, except for the session `except`. */
  async #forEach(
    group: SessionGroup,
    { except, work }: { except?: string | undefined; work: (session: RegisteredSession) => Promise<void> },
  ): Promise<void> {
    const sessions = (await this.list(group)).filter(({ id }) => id !== except)
    await mapConcurrently(sessions, MAX_REMOVALS, work)
  }

  /**
   * Adds an entry to the feed, then runs `remove`. The entry makes other processes read the record again instead of
   * using their cached copy.
   */
  async #announceAndRemove(ending: Parameters<EndedFeed["add"]>[0], remove: () => Promise<void>): Promise<void> {
    const startedAt = performance.now()
    await this.#feed.add(ending)
    await remove()
    if (performance.now() - startedAt > SLOW_DELETION_MS) await this.#feed.add(ending)
  }

  /**
   * Deletes a session. The adapter's row is deleted first. If that fails, the record remains, so that the application
   * can try to end the session again.
   */
  async #remove(id: string, data: SessionData | undefined, validUntil?: number): Promise<void> {
    if (data?.token) await this.#options.deleteRow(data.token)
    await this.#records.delete(id, data, validUntil)
    this.#cache.delete(id)
  }

  /**
   * Returns whether the session is live and its user is active. If the user is not active, ends all sessions of the
   * user, or only this session if its owner is unknown.
   */
  async #isLiveAndActive(
    isLive: Awaitable<boolean>,
    { id, owner, findUser }: PresentedSession,
    activity: ActivityCheck,
  ): Promise<boolean> {
    if (!(await isLive)) return false
    if (await activity.isActive(id, findUser)) return true
    await withinTimeLimit<unknown>(owner === undefined ? this.end(id) : this.endAll({ owner }))
    return false
  }

  #findCached(id: string): CachedRecord | undefined {
    const cached = this.#cache.get(id)
    if (!cached || performance.now() - cached.readAt > CACHE_MS) return undefined
    return this.#feed.mayHaveEnded(id, cached.ownerHash, cached.readAt) ? undefined : cached
  }

  async #isLiveInStore(session: PresentedSession): Promise<boolean> {
    await this.#feed.refresh()
    const { id } = session
    const shared = this.#findCached(id) ?? (await this.#reads.read(id, () => this.#read(id)))
    // Another request may have started the shared read before the session ended.
    const found = this.#feed.mayHaveEnded(id, shared.ownerHash, shared.readAt) ? await this.#read(id) : shared
    const wasRegistered = found.version !== undefined || !mayBeUnregistered(id)
    return wasRegistered ? this.#checkAndTouch(found, session) : this.#register(session)
  }

  async #read(id: string): Promise<CachedRecord> {
    const readAt = performance.now()
    const found = { readAt, ...(await this.#records.read(id)) }
    // A missing record is not cached, because this request or another process may be about to register the session.
    if (found.version === undefined) this.#cache.delete(id)
    else this.#cache.set(id, found)
    return found
  }

  /**
   * Registers a session that has no record yet, for example because it was created without a store. Returns false if
   * the session has ended, or if unregistered sessions are no longer accepted.
   */
  async #register(session: PresentedSession): Promise<boolean> {
    const { id, owner, issuedAt, expires } = session
    const { now, unregisteredUntil } = this.#options
    const data = { createdAt: issuedAt || now(), lastSeenAt: now(), expires, ...session.describe() }
    const groups = [...(owner === undefined ? [] : [{ owner }]), ...providerGroups(data)]
    if (now() >= unregisteredUntil || (await this.#isCutOff(groups, issuedAt))) return false
    const ownerHash = owner === undefined ? undefined : hashOwner(owner)
    const isFirst = await this.#records.write(id, data, { ownerHash, ifVersion: null })
    // Another process may have ended the sessions of a group after the check and before the record was written.
    if (isFirst && (await this.#isCutOff(groups, issuedAt))) await this.end(id)
    // If the record existed already, another process has registered or ended the session.
    return (await this.#read(id)).data !== undefined
  }

  /** True if all sessions of one of the groups were ended at `issuedAt` or later, see `SessionRecords.isCutOff`. */
  async #isCutOff(groups: readonly SessionGroup[], issuedAt: number | undefined): Promise<boolean> {
    return (await Promise.all(groups.map((group) => this.#records.isCutOff(group, issuedAt)))).some(Boolean)
  }

  /**
   * Returns true if the session has not ended. If its last recorded use was at least `TOUCH_INTERVAL_MS` ago, also
   * records this use.
   */
  #checkAndTouch(found: CachedRecord, session: PresentedSession): boolean {
    const { data } = found
    if (!data) return false
    const now = this.#options.now()
    if (session.isUse && now - data.lastSeenAt >= TOUCH_INTERVAL_MS) {
      const touched = { ...data, lastSeenAt: now, expires: Math.max(data.expires, session.expires) }
      // Cached before the write, so that concurrent requests to this process do not record the use too.
      this.#cache.set(session.id, { ...found, data: touched })
      void this.#touch(session, { ...found, data: touched })
    }
    return true
  }

  /**
   * Writes a changed record in the background, unless another request has changed the record in the meantime. If the
   * record contains the token of a database session, seals the token again, see `PresentedSession.resealToken`.
   */
  async #touch(
    { id, resealToken }: PresentedSession,
    { data, ownerHash, version }: CachedRecord & { readonly data: SessionData },
  ): Promise<void> {
    try {
      const token = data.token && resealToken?.(data.token)
      await this.#records.write(id, { ...data, ...(token && { token }) }, { ownerHash, ifVersion: version })
    } catch (error) {
      this.#options.logger.error(asError(error))
    }
    this.#cache.delete(id)
  }
}

/** Creates the registry; returns undefined without a store, or with `session.revocable: false`. */
export function createRegistry(
  { callbacks, config, store, logger, now }: Pick<SessionRuntime, "callbacks" | "config" | "store" | "logger" | "now">,
  deleteRow: RegistryOptions["deleteRow"],
): SessionRegistry | undefined {
  const { session, jwt } = config
  if (!store || !session.revocable) return undefined
  const records = new SessionRecords({ store, now, maxAge: Math.max(session.maxAge, jwt.maxAge) })
  const unregisteredUntil = session.unregisteredUntil?.getTime() ?? Infinity
  const [feed, activity] = [createEndedFeed(store), createActivityCheck(callbacks)]
  return new StoredRegistry({ records, feed, activity, logger, now, unregisteredUntil, deleteRow })
}
