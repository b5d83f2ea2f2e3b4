import { sentLength } from "../http/cookie-parts.js"
import { type CookieChange, parseCookies, sentLengthOf } from "../http/cookies.js"
import type { SessionCookies } from "./session.js"

/** The most that the other cookies of this package take beside a session. */
const MOST_BESIDE = 3_500

/** What this package's lasting cookies beside the session take of each request, once this one is answered. */
function sizeBeside({ cookies, cookieHeader, cookieSet, callbackUrl }: SessionCookies): number {
  const { csrfToken, callbackUrl: returnUrl } = cookieSet
  const present = cookieHeader ? parseCookies(cookieHeader) : cookies
  const kept = callbackUrl ?? present[returnUrl.name]
  const size = sentLength(csrfToken.name, present[csrfToken.name] ?? "")
  return kept === undefined ? size : size + sentLength(returnUrl.name, kept)
}

/**
 * Refuses a session whose cookies, with the others of this package, are larger than proxies accept: every later request
 * would fail, the sign-out too.
 *
 * @throws RangeError with the size and the option
 */
export function requireBudget(puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): void {
  const own = sentLengthOf(puts, browser.cookieSet)
  if (own + MOST_BESIDE <= maxCookieSize) return
  const size = own + sizeBeside(browser)
  if (size <= maxCookieSize) return
  throw new RangeError(
    `the cookies of this package would take ${size} bytes of each request, and session.maxCookieSize is ${maxCookieSize}. Return less from callbacks.jwt, use an adapter, or write { session: { maxCookieSize: ${roundUp(size)} } } and raise the limits of your proxies, see docs/sessions.md`,
  )
}

const roundUp = (size: number): number => Math.ceil(size / 1024) * 1024
