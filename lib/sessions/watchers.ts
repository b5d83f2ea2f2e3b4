import { asError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { type EndedFeed, RETENTION_MS } from "./ended-feed.js"
import type { RegisteredSession } from "./session.js"
import { hashOwner } from "./session-records.js"

/** How often the list of ended sessions is read while sessions are watched. */
const INTERVAL_MS = 500
/** After a longer pause, such as a failure of the store, entries of the list may have been missed. */
const MAX_PAUSE_MS = RETENTION_MS / 2
/** How many records are read at once. */
const CONCURRENCY = 50

/** A session that is open in this process, such as that of a WebSocket. */
export interface Watched {
  readonly id: string
  /** `SessionOrigin.owner` */
  readonly owner: string | undefined
  /** When the session ends if it is not used again, in milliseconds since 1970. */
  readonly expires: number
}

/** The sessions that this process watches. */
export interface Watchers {
  /** Calls `onEnd` once, when the session has ended. Returns a function that stops watching. */
  add(watched: Watched, onEnd: () => void): () => void
}

interface Watcher extends Pick<Watched, "id" | "expires"> {
  readonly ownerHash: string | undefined
  readonly onEnd: () => void
  /** When the record has to be read again, in milliseconds since 1970: it is then extended, or the session has ended. */
  checkAt: number
}

interface WatchersOptions {
  readonly feed: EndedFeed
  readonly find: (id: string) => Promise<RegisteredSession | undefined>
  readonly logger: Logger
  readonly now: () => number
}

/** Watches all sessions with one timer, and one list of the store for all of them. */
export function createWatchers({ feed, find, logger, now }: WatchersOptions): Watchers {
  const watchers = new Set<Watcher>()
  let timer: NodeJS.Timeout | undefined
  let checkedAt = 0
  let isChecking = false

  const remove = (watcher: Watcher): void => {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  /** Reads the record. A failure of the store keeps the watcher: the session may still be valid. */
  const check = async (watcher: Watcher): Promise<void> => {
    const session = await find(watcher.id)
    // The cookie may have been renewed after the record was last written.
    const expires = Math.max(session?.expires ?? 0, watcher.expires)
    if (session && expires > now()) watcher.checkAt = expires
    else if (watchers.has(watcher)) {
      remove(watcher)
      watcher.onEnd()
    }
  }
  const checkAll = async (): Promise<void> => {
    await feed.refresh(INTERVAL_MS)
    const mayHaveMissed = performance.now() - checkedAt > MAX_PAUSE_MS
    const due = [...watchers].filter(
      ({ id, ownerHash, checkAt }) => mayHaveMissed || checkAt <= now() || feed.mayHaveEnded(id, ownerHash),
    )
    for (let i = 0; i < due.length; i += CONCURRENCY) await Promise.all(due.slice(i, i + CONCURRENCY).map(check))
    checkedAt = performance.now()
  }
  const tick = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    try {
      await checkAll()
    } catch (error) {
      logger.error(asError(error))
    } finally {
      isChecking = false
    }
  }
  return {
    add({ id, owner, expires }, onEnd) {
      const ownerHash = owner === undefined ? undefined : hashOwner(owner)
      const watcher = { id, ownerHash, expires, onEnd, checkAt: expires }
      if (watchers.size === 0) checkedAt = performance.now()
      watchers.add(watcher)
      timer ??= setInterval(() => void tick(), INTERVAL_MS).unref()
      return () => remove(watcher)
    },
  }
}
