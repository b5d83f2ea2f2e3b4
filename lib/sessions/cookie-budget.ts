import type { CookieChange } from "../base/types.js"
import { sentLength } from "../http/cookie-chunks.js"
import { parseCookies, totalSentLength } from "../http/cookies.js"
import type { SessionCookies } from "./session.js"

/** The maximum size of this package's other lasting cookies. */
const MAX_OTHER_COOKIES_SIZE = 3_500

/** How much this package's other lasting cookies add to each request after this response. */
function otherCookiesSize({ cookies, cookieHeader, cookieSet, callbackUrl }: SessionCookies): number {
  const { csrfToken, callbackUrl: returnUrl } = cookieSet
  const present = cookieHeader ? parseCookies(cookieHeader) : cookies
  const returnUrlValue = callbackUrl ?? present[returnUrl.name]
  const csrfSize = sentLength(csrfToken.name, present[csrfToken.name] ?? "")
  return returnUrlValue === undefined ? csrfSize : csrfSize + sentLength(returnUrl.name, returnUrlValue)
}

/** How much the session's cookies add to each request. The package's other cookies are measured only near the limit. */
function sizePerRequest(puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): number {
  const sessionSize = totalSentLength(puts, browser.cookieSet)
  return sessionSize + MAX_OTHER_COOKIES_SIZE <= maxCookieSize ? sessionSize : sessionSize + otherCookiesSize(browser)
}

/** True if these cookies, with the package's other ones, fit in every later request. */
export const fitsBudget = (puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): boolean =>
  sizePerRequest(puts, browser, maxCookieSize) <= maxCookieSize

/**
 * Rejects a session whose cookies, with the package's other ones, are larger than proxies accept: every later request
 * would fail, including the sign-out.
 *
 * @throws RangeError with the size and the option
 */
export function requireBudget(puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): void {
  const size = sizePerRequest(puts, browser, maxCookieSize)
  if (size <= maxCookieSize) return
  throw new RangeError(
    `the cookies of this package would take ${size} bytes of each request, but session.maxCookieSize is ${maxCookieSize}. Return less from callbacks.jwt, use an adapter, or write { session: { maxCookieSize: ${roundUp(size)} } } and raise the limits of your proxies, see docs/sessions.md`,
  )
}

const roundUp = (size: number): number => Math.ceil(size / 1024) * 1024
