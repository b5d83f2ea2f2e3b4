import { type CookieChange, readChunked } from "../http/cookies.js"
import { readFurther } from "../http/same-name.js"
import { sha256Base64url } from "../security/tokens.js"
import { createLately } from "./lately.js"
import type { SessionCookies } from "./session.js"

/** Longer than a request is on its way. */
const SECONDS = 60

/** How a session ended: a sign-in put another in its place, or its owner signed out. */
type Ending = "replaced" | "closed"

/** The sessions that were ended in this process lately. */
export interface Ended {
  /** Notes how the browser's present session ends, for the answers to requests that were on their way with it. */
  note(browser: SessionCookies, ending: Ending): void
  /**
   * What a read may change of the browser's cookies. Where its session has ended since it was asked for, nothing may bring
   * that back; and where another took its place, nothing may take that one away.
   */
  changesFor(browser: SessionCookies, changes: readonly CookieChange[]): readonly CookieChange[]
}

export function createEnded(now: () => number): Ended {
  // By their hash: it is short, and opens nothing.
  const ended = createLately<Ending>(SECONDS, now)
  let lastAt = Number.NEGATIVE_INFINITY
  const valuesIn = ({ cookies, cookieHeader, cookieSet }: SessionCookies): string[] => {
    const { name } = cookieSet.sessionToken
    return [...readChunked(cookies, name), ...readFurther(cookieHeader, name)]
  }
  return {
    note(browser, ending) {
      for (const value of valuesIn(browser)) ended.set(sha256Base64url(value), ending)
      lastAt = now()
    },
    changesFor(browser, changes) {
      if (changes.length === 0 || now() - lastAt >= SECONDS * 1000) return changes
      const endings = valuesIn(browser).map((value) => ended.get(sha256Base64url(value)))
      const isPut = changes.some((change) => "put" in change)
      return endings.includes("replaced") || (isPut && endings.includes("closed")) ? [] : changes
    },
  }
}
