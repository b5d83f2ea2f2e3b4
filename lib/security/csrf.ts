import { isEqualText, randomHex, sha256Hex } from "./tokens.js"

/** The double-submit token of a browser: the value for forms, and the value of the cookie. */
export interface CsrfToken {
  readonly token: string
  readonly cookie: string
}

/** Creates a token. The cookie is `<token>|<sha256 of token and secret>`, as in Auth.js. */
export function createCsrfToken(secrets: readonly string[]): CsrfToken {
  const [secret] = secrets
  if (secret === undefined) throw new TypeError("creating a CSRF token requires a secret")
  const random = randomHex().slice(0, RANDOM_LENGTH)
  const token = random + createChecksum(random)
  return { token, cookie: createCookie(token, secret) }
}

/** A token has 64 hex digits: 48 random ones (192 bits), followed by 16 digits of a checksum. */
const RANDOM_LENGTH = 48

const createChecksum = (random: string): string => sha256Hex(`latchkey.csrf ${random}`).slice(RANDOM_LENGTH)

/**
 * True if the checksum shows that the text is a CSRF token of this package. Auth.js hashes CSRF tokens and the tokens
 * of email links in the same way, and a visitor can read the token and its hash in the CSRF cookie. So code that
 * accepts email links of Auth.js must reject CSRF tokens.
 */
export const isCsrfToken = (text: string): boolean =>
  text.slice(RANDOM_LENGTH) === createChecksum(text.slice(0, RANDOM_LENGTH))

const createCookie = (token: string, secret: string): string => `${token}|${sha256Hex(token + secret)}`

/**
 * Returns the token of a browser's cookie, or a new token if the cookie is missing or invalid. A cookie that was signed
 * with an older secret is signed again with the first secret, so that forms stay valid when the older secret is
 * removed.
 */
export function getOrCreateCsrfToken(existing: string | undefined, secrets: readonly string[]): CsrfToken {
  const token = verifyCsrfCookie(existing, secrets)
  if (existing === undefined || token === undefined) return createCsrfToken(secrets)
  // Auth.js signs with all secrets joined. Such a cookie stays unchanged.
  const isOurs = secrets.some((secret) => existing === createCookie(token, secret))
  return { token, cookie: isOurs ? createCookie(token, secrets[0] ?? "") : existing }
}

/** Returns the token in a cookie; undefined if the cookie was not signed with any of the secrets. */
export function verifyCsrfCookie(cookie: string | undefined, secrets: readonly string[]): string | undefined {
  if (!cookie) return undefined
  const separator = cookie.indexOf("|")
  if (separator < 1) return undefined
  const token = cookie.slice(0, separator)
  const hash = cookie.slice(separator + 1)
  // Auth.js hashes a list of secrets joined by commas. Its cookies stay valid after a migration to this package.
  const accepted = secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets
  return accepted.some((secret) => isEqualText(hash, sha256Hex(token + secret))) ? token : undefined
}

/** The values of `Sec-Fetch-Site` for requests that were not caused by another site. */
const SAME_SITE_VALUES = new Set(["same-origin", "same-site", "none"])

/**
 * True if the browser's headers show that another site has caused this request.
 *
 * `Sec-Fetch-Site` decides, because a page can't set this header. If it is missing or unknown, the host of `Origin` is
 * compared with `ownHost`. An `Origin` of "null" proves nothing: pages with the policy `no-referrer` send it, including
 * those of this package. Schemes are not compared, because behind a proxy that terminates TLS they may differ.
 */
export function isCrossSite(headers: Headers, ownHost: string): boolean {
  const sites = (headers.get("sec-fetch-site") ?? "")
    .toLowerCase()
    .split(",")
    .map((site) => site.trim())
  if (sites.includes("cross-site")) return true
  if (sites.every((site) => SAME_SITE_VALUES.has(site))) return false
  const origin = headers.get("origin")
  if (origin === null || origin === "null") return false
  return !URL.canParse(origin) || new URL(origin).host !== ownHost
}
