/**
 * What an operator can do about a cookie that did not come, or that is another application's.
 *
 * @module
 */
import type { CookiesOptions } from "../types.js"
import type { AuthCall } from "./call.js"

/** Of a cookie that is there and does not open. Browsers keep cookies by host: a port makes no difference to them. */
export const foreignCookieHint = (key: keyof CookiesOptions): string =>
  `another secret has made it. If the secret was changed, keep the old one: secret: [newSecret, oldSecret]. If another application runs on this host, on whatever port, they share their cookies: give one of them names of its own, cookies: { ${key}: { name: "shop.${key}" } }`

const FRAMES = new Set(["iframe", "frame", "embed", "object", "fencedframe"])

/** Of a cookie that did not come, where the request shows why; undefined where it does not. */
export function missingCookieHint({ headers, origin, cookieSet }: AuthCall): string | undefined {
  if (FRAMES.has(headers.get("sec-fetch-dest") ?? ""))
    return 'the page is in a frame of another site, to which browsers send no cookie that is SameSite=Lax. Let people sign in in a window of its own: <a href="/auth/signin" target="_blank">'
  if (cookieSet.csrfToken.options.secure && origin.startsWith("http:"))
    return `cookies are Secure and the site is on ${origin}, where browsers keep none: leave useSecureCookies out, or set AUTH_URL to the address with https:`
  return undefined
}
