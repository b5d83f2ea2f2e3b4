import type { CookieChange } from "../base/types.js"
import { createTtlCache } from "../cache/ttl-cache.js"
import { sha256Base64url } from "../security/tokens.js"
import { sessionValues } from "./browser-session.js"
import type { SessionCookies } from "./session.js"

/** How long an ended session is remembered: longer than any request takes. */
const RETENTION_SECONDS = 60

/** Why a session ended: a new sign-in replaced it, or its user signed out. */
type EndReason = "replaced" | "closed"

/** When the read of a session began, and the user of the session. */
export interface ReadStart {
  /** `EndedSessions.count` when the read began. */
  readonly endedCount: number
  /** The claim `sub`, the user's id; undefined if it is missing. */
  readonly owner: string | undefined
}

/**
 * Remembers the sessions that this process has recently ended, so that a concurrent request does not set their cookies
 * again.
 */
export interface EndedSessions {
  /** How many times `record` has recorded the end of a session. */
  readonly count: number
  /**
   * Records why the browser's current session ends. `filterCookieChanges` then filters the responses to concurrent
   * requests that carry its cookie.
   */
  record(browser: SessionCookies, reason: EndReason): void
  /** Records the owner of the session that was recorded last. */
  recordOwner(owner: string | undefined): void
  /**
   * Filters the cookie changes of a session read. If the session was closed while the request was in progress, its
   * cookie is not set again. If a sign-in replaced the session, no cookie is changed, because the browser may already
   * have the cookie of the new session.
   *
   * A session is recognised by the value of its cookie, which changes with each renewal. It is not recognised in a
   * request that still carries an older value than the recorded one. So with `start`, no cookie is changed if any
   * session of the same owner has ended since the read began. Another browser of that owner receives its renewed cookie
   * with a later response.
   */
  filterCookieChanges(
    browser: SessionCookies,
    changes: readonly CookieChange[],
    start?: ReadStart,
  ): readonly CookieChange[]
}

export function createEndedSessions(now: () => number): EndedSessions {
  // Why sessions ended, by the hash of the cookie's value. A hash is short, and can't be used as a session cookie.
  const reasons = createTtlCache<EndReason>(RETENTION_SECONDS, now)
  /** By owner: the value of `count` after a session of the owner last ended. */
  const countByOwner = createTtlCache<number>(RETENTION_SECONDS, now)
  let lastEndedMs = Number.NEGATIVE_INFINITY
  let count = 0
  const hasEndedSince = ({ endedCount, owner }: ReadStart): boolean =>
    endedCount < count && endedCount < (countByOwner.get(String(owner)) ?? 0)
  return {
    get count() {
      return count
    },
    recordOwner: (owner) => countByOwner.set(String(owner), count),
    record(browser, reason) {
      const values = sessionValues(browser)
      if (values.length === 0) return
      for (const value of values) reasons.set(sha256Base64url(value), reason)
      lastEndedMs = now()
      count++
    },
    filterCookieChanges(browser, changes, start) {
      if (changes.length === 0 || now() - lastEndedMs >= RETENTION_SECONDS * 1000) return changes
      if (start && hasEndedSince(start)) return []
      const knownReasons = sessionValues(browser).map((value) => reasons.get(sha256Base64url(value)))
      const setsCookie = changes.some((change) => "put" in change)
      return knownReasons.includes("replaced") || (setsCookie && knownReasons.includes("closed")) ? [] : changes
    },
  }
}
