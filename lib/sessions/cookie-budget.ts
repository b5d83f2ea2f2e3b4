import type { CookieChange } from "../base/types.js"
import { sentLength } from "../http/cookie-chunks.js"
import { parseCookies, totalSentLength } from "../http/cookies.js"
import type { SessionCookies } from "./session.js"

/** The highest value of `session.maxCookieSize`: the default limit of Node.js for all headers. */
export const HIGHEST_MAX_COOKIE_SIZE = 16_384

/** The maximum size of the cookies of the CSRF token and the return URL together, in bytes. */
const MAX_OTHER_COOKIES_SIZE = 3_500

/** Returns how many bytes the cookies of the CSRF token and the return URL add to each request after this response. */
function otherCookiesSize({ cookies, cookieHeader, cookieSet, callbackUrl }: SessionCookies): number {
  const { csrfToken, callbackUrl: returnUrl } = cookieSet
  const storedCookies = cookieHeader ? parseCookies(cookieHeader) : cookies
  const returnUrlValue = callbackUrl ?? storedCookies[returnUrl.name]
  const csrfSize = sentLength(csrfToken.name, storedCookies[csrfToken.name] ?? "")
  return returnUrlValue === undefined ? csrfSize : csrfSize + sentLength(returnUrl.name, returnUrlValue)
}

/**
 * Returns how many bytes the cookies `puts`, the CSRF token and the return URL add to each request. If `puts` are so
 * far below the limit that the total can't exceed it, the other two cookies are neither measured nor included.
 */
function sizePerRequest(puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): number {
  const sessionSize = totalSentLength(puts, browser.cookieSet)
  return sessionSize + MAX_OTHER_COOKIES_SIZE <= maxCookieSize ? sessionSize : sessionSize + otherCookiesSize(browser)
}

/** True if the cookies `puts`, together with those of the CSRF token and the return URL, do not exceed the limit. */
export const fitsBudget = (puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): boolean =>
  sizePerRequest(puts, browser, maxCookieSize) <= maxCookieSize

/**
 * Rejects a session whose cookies, together with those of the CSRF token and the return URL, exceed the limit. Proxies
 * would reject every later request, including the sign-out.
 *
 * @throws RangeError with the size and the option
 */
export function requireBudget(puts: readonly CookieChange[], browser: SessionCookies, maxCookieSize: number): void {
  const size = sizePerRequest(puts, browser, maxCookieSize)
  if (size <= maxCookieSize) return
  throw new RangeError(
    `the cookies of the session, the CSRF token and the return URL would take ${size} bytes of each request, but session.maxCookieSize is ${maxCookieSize}. Return less from callbacks.jwt, or use an adapter.${raiseHint(size)} See docs/sessions.md`,
  )
}

/** Returns the option that allows this size; empty if no value of the option does. */
function raiseHint(size: number): string {
  const maxCookieSize = Math.ceil(size / 1024) * 1024
  return maxCookieSize > HIGHEST_MAX_COOKIE_SIZE
    ? ""
    : ` Or write { session: { maxCookieSize: ${maxCookieSize} } }, and raise the limits of your proxies.`
}
