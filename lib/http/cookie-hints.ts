/**
 * Log hints that explain why a cookie is missing or was not created by this application.
 *
 * @module
 */
import type { CookiesOptions } from "../base/types.js"
import type { AuthCall } from "./call.js"

/** Returns the hint for a cookie that another secret created. All ports of a host share cookies (RFC 6265 §8.5). */
export const foreignCookieHint = (key: keyof CookiesOptions): string =>
  `the cookie was created with another secret. If the secret was changed, keep the old one: secret: [newSecret, oldSecret]. If another application runs on this host, on any port, the two applications share their cookies. Choose other cookie names in one of them: cookies: { ${key}: { name: "shop.${key}" } }`

const FRAMES = new Set(["iframe", "frame", "embed", "object", "fencedframe"])

/** Returns the hint for a missing cookie; undefined if the request does not show why it is missing. */
export function missingCookieHint({ headers, origin, cookieSet }: AuthCall): string | undefined {
  if (FRAMES.has(headers.get("sec-fetch-dest") ?? ""))
    return 'the page is in a frame of another site, where browsers send no cookies with SameSite=Lax. Open the sign-in page in its own window: <a href="/auth/signin" target="_blank">'
  if (cookieSet.csrfToken.options.secure && origin.startsWith("http:"))
    return `cookies are Secure, but the site is on ${origin}, where browsers reject them: leave useSecureCookies out, or set AUTH_URL to the site's https address`
  return undefined
}
