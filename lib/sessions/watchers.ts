import { createTaskQueue } from "../base/task-queue.js"
import { asError } from "../errors/errors.js"
import { createLogLimit, type LogLimit } from "../logging/log-limit.js"
import type { Logger } from "../logging/logger.js"
import type { EndedFeed } from "./ended-feed.js"
import { RETENTION_MS } from "./ending-batches.js"
import type { RegisteredSession } from "./session.js"
import { hashOwner, TOUCH_INTERVAL_MS } from "./session-records.js"

/** How often the list of ended sessions (the feed) is read while sessions are watched. */
const INTERVAL_MS = 500
/**
 * If the list was not read for longer than this, for example because the store failed, entries may have been missed.
 * All watched sessions are then checked.
 */
const MAX_PAUSE_MS = RETENTION_MS / 2
/**
 * How many records are read concurrently. The limit is high, because a slow read must not delay the reads for other
 * sessions.
 */
const MAX_READS = 50

/** A session that this process watches, for example for an open WebSocket. */
export interface WatchedSession {
  readonly id: string
  /** `SessionAuthentication.owner` */
  readonly owner: string | undefined
  /** The time at which the session ends, in milliseconds since 1970. A later use of the session can extend it. */
  readonly expires: number
}

/** The sessions that this process watches. */
export interface Watchers {
  /** Calls `onEnd` once, when the session has ended. Returns a function that stops watching. */
  add(watched: WatchedSession, onEnd: () => void): () => void
}

interface Watcher extends Pick<WatchedSession, "id" | "expires"> {
  readonly ownerHash: string | undefined
  readonly onEnd: () => void
  /**
   * The time at which the record is read again, in milliseconds since 1970. By then, either a use has extended the
   * session, or the session has ended.
   */
  checkAt: number
  /** True while the record is being read, or waits in the queue. */
  isBeingRead: boolean
}

interface WatchersOptions {
  readonly feed: EndedFeed
  /** Reads a session's record. The promise must settle in a bounded time. */
  readonly find: (id: string) => Promise<RegisteredSession | undefined>
  readonly logger: Logger
  readonly now: () => number
}

/** Watches all sessions with one timer, which reads the list of ended sessions once for all of them. */
class SharedWatchers implements Watchers {
  readonly #options: WatchersOptions
  readonly #watchers = new Set<Watcher>()
  readonly #reads = createTaskQueue(MAX_READS)
  readonly #logLimit: LogLimit
  #timer: NodeJS.Timeout | undefined
  #listedAt = 0
  #isListing = false

  constructor(options: WatchersOptions) {
    this.#options = options
    this.#logLimit = createLogLimit(options.now)
  }

  add({ id, owner, expires }: WatchedSession, onEnd: () => void): () => void {
    const ownerHash = owner === undefined ? undefined : hashOwner(owner)
    const watcher = { id, ownerHash, expires, onEnd, checkAt: expires, isBeingRead: false }
    if (this.#watchers.size === 0) this.#listedAt = performance.now()
    this.#watchers.add(watcher)
    this.#timer ??= setInterval(() => void this.#tick(), INTERVAL_MS).unref()
    return () => this.#remove(watcher)
  }

  #remove(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    if (this.#watchers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #tick(): Promise<void> {
    if (this.#isListing) return
    this.#isListing = true
    try {
      await this.#options.feed.refresh(INTERVAL_MS)
      this.#readDue()
    } catch (error) {
      this.#logFailure(error)
    } finally {
      this.#isListing = false
    }
  }

  /**
   * Starts to read the records of all sessions that may have ended. The next read of the list does not wait for these
   * reads.
   */
  #readDue(): void {
    const { feed, now } = this.#options
    const mayHaveMissed = performance.now() - this.#listedAt > MAX_PAUSE_MS
    this.#listedAt = performance.now()
    for (const watcher of this.#watchers) {
      const { id, ownerHash, checkAt, isBeingRead } = watcher
      const isDue = mayHaveMissed || checkAt <= now() || feed.mayHaveEnded(id, ownerHash)
      if (isDue && !isBeingRead) void this.#read(watcher)
    }
  }

  /**
   * Reads the record of a watched session, and calls `onEnd` if the session has ended. If the store fails, the session
   * may be valid, so it is still watched, and its record is read again after `INTERVAL_MS`.
   */
  async #read(watcher: Watcher): Promise<void> {
    watcher.isBeingRead = true
    try {
      await this.#reads(() => this.#check(watcher))
    } catch (error) {
      watcher.checkAt = 0
      this.#logFailure(error)
    } finally {
      watcher.isBeingRead = false
    }
  }

  async #check(watcher: Watcher): Promise<void> {
    const session = await this.#options.find(watcher.id)
    // The session may end later than its record states, because a use within `TOUCH_INTERVAL_MS` after the last write of
    // the record is not written.
    const expires = Math.max((session?.expires ?? 0) + TOUCH_INTERVAL_MS, watcher.expires)
    if (session && expires > this.#options.now()) watcher.checkAt = expires
    else if (this.#watchers.has(watcher)) {
      this.#remove(watcher)
      watcher.onEnd()
    }
  }

  #logFailure(error: unknown): void {
    if (this.#logLimit.take() !== undefined) this.#options.logger.error(asError(error))
  }
}

export const createWatchers = (options: WatchersOptions): Watchers => new SharedWatchers(options)
