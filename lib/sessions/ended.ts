import type { CookieChange } from "../http/cookies.js"
import { sha256Base64url } from "../security/tokens.js"
import { sessionValues } from "./browser-session.js"
import { createLately } from "./lately.js"
import type { SessionCookies } from "./session.js"

/** Longer than a request is on its way. */
const SECONDS = 60

/** How a session ended: a sign-in put another in its place, or its owner signed out. */
type Ending = "replaced" | "closed"

/** A read that may have made a cookie of one that the browser had before its last. */
export interface Begun {
  /** What `count` was when it began. */
  readonly at: number
  /** Whose session it is; undefined where its claims say nothing of that. */
  readonly owner: string | undefined
}

/** The sessions that were ended in this process lately. */
export interface Ended {
  /** How many have ended until now. */
  readonly count: number
  /** Notes how the browser's present session ends, for the answers to requests that were on their way with it. */
  note(browser: SessionCookies, ending: Ending): void
  /** Notes whose session it was. */
  noteOwner(owner: string | undefined): void
  /**
   * What a read may change of the browser's cookies. Where its session has ended since it was asked for, nothing may bring
   * that back; and where another took its place, nothing may take that one away. A cookie that was renewed in between
   * is not known by its value: of a read that has `begun` before, nothing is put when a session of its owner has ended
   * since. Who is meant by mistake, in another browser, gets it with the next answer.
   */
  changesFor(browser: SessionCookies, changes: readonly CookieChange[], begun?: Begun): readonly CookieChange[]
}

export function createEnded(now: () => number): Ended {
  // By their hash: it is short, and opens nothing.
  const ended = createLately<Ending>(SECONDS, now)
  /** By owner: what the count was. */
  const endedOf = createLately<number>(SECONDS, now)
  let lastAt = Number.NEGATIVE_INFINITY
  let count = 0
  const isOvertaken = ({ at, owner }: Begun): boolean => at < count && at < (endedOf.get(String(owner)) ?? 0)
  return {
    get count() {
      return count
    },
    noteOwner: (owner) => endedOf.set(String(owner), count),
    note(browser, ending) {
      const values = sessionValues(browser)
      if (values.length === 0) return
      for (const value of values) ended.set(sha256Base64url(value), ending)
      lastAt = now()
      count++
    },
    changesFor(browser, changes, begun) {
      if (changes.length === 0 || now() - lastAt >= SECONDS * 1000) return changes
      if (begun && isOvertaken(begun)) return []
      const endings = sessionValues(browser).map((value) => ended.get(sha256Base64url(value)))
      const isPut = changes.some((change) => "put" in change)
      return endings.includes("replaced") || (isPut && endings.includes("closed")) ? [] : changes
    },
  }
}
