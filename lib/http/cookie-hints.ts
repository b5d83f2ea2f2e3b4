/**
 * Hints for the operator about cookies that are missing, or that another application has set.
 *
 * @module
 */
import type { CookiesOptions } from "../base/types.js"
import type { AuthCall } from "./call.js"

/** The hint for a cookie that can't be decrypted. Applications on different ports of a host share their cookies. */
export const foreignCookieHint = (key: keyof CookiesOptions): string =>
  `it was encrypted with another secret. If the secret was changed, keep the old one: secret: [newSecret, oldSecret]. If another application runs on this host, on any port, the two share their cookies: use other names in one of them, cookies: { ${key}: { name: "shop.${key}" } }`

const FRAMES = new Set(["iframe", "frame", "embed", "object", "fencedframe"])

/** The hint for a missing cookie; undefined if the request does not show the cause. */
export function missingCookieHint({ headers, origin, cookieSet }: AuthCall): string | undefined {
  if (FRAMES.has(headers.get("sec-fetch-dest") ?? ""))
    return 'the page is in a frame of another site, where browsers send no cookies with SameSite=Lax. Open the sign-in page in its own window: <a href="/auth/signin" target="_blank">'
  if (cookieSet.csrfToken.options.secure && origin.startsWith("http:"))
    return `cookies are Secure, but the site is on ${origin}, where browsers reject them: leave useSecureCookies out, or set AUTH_URL to the site's https address`
  return undefined
}
