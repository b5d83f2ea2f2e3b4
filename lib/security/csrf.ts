import { isEqualText, randomHex, sha256Hex } from "./tokens.js"

/** The double-submit token of a browser: what the form carries, and what the cookie holds. */
export interface CsrfToken {
  readonly token: string
  readonly cookie: string
}

/** A fresh token; the cookie is `<token>|<sha256 of token and secret>`, as every Auth.js package writes it. */
export function createCsrfToken(secrets: readonly string[]): CsrfToken {
  const [secret] = secrets
  if (secret === undefined) throw new TypeError("a secret is needed to make a CSRF token")
  const random = randomHex().slice(0, RANDOM_DIGITS)
  const token = random + checkDigits(random)
  return { token, cookie: cookieOf(token, secret) }
}

/** 192 bits; the rest of a token's 64 digits follows from them. */
const RANDOM_DIGITS = 48

const checkDigits = (random: string): string => sha256Hex(`latchkey.csrf ${random}`).slice(RANDOM_DIGITS)

/**
 * Was this text made as a CSRF token? The hash in its cookie has the form in which Auth.js stores a sign-in link: what
 * accepts such hashes must refuse CSRF tokens, because every visitor knows the hash of one.
 */
export const isCsrfToken = (text: string): boolean =>
  text.slice(RANDOM_DIGITS) === checkDigits(text.slice(0, RANDOM_DIGITS))

const cookieOf = (token: string, secret: string): string => `${token}|${sha256Hex(token + secret)}`

/**
 * The token of a browser, the one that it has or a fresh one. A cookie that was made with a secret on its way out is
 * made anew with the first: forms stay good when the old one is gone.
 */
export function csrfTokenOf(held: string | undefined, secrets: readonly string[]): CsrfToken {
  const token = readCsrfCookie(held, secrets)
  if (held === undefined || token === undefined) return createCsrfToken(secrets)
  // What Auth.js made of joined secrets stays as it is.
  const isByOne = secrets.some((secret) => held === cookieOf(token, secret))
  return { token, cookie: isByOne ? cookieOf(token, secrets[0] ?? "") : held }
}

/** The token in a cookie of ours, or undefined when it was not made with one of the secrets. */
export function readCsrfCookie(cookie: string | undefined, secrets: readonly string[]): string | undefined {
  if (!cookie) return undefined
  const separator = cookie.indexOf("|")
  if (separator < 1) return undefined
  const token = cookie.slice(0, separator)
  const hash = cookie.slice(separator + 1)
  // Auth.js hashes a list of secrets joined by commas: its cookies stay good after a move to this package.
  const accepted = secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets
  return accepted.some((secret) => isEqualText(hash, sha256Hex(token + secret))) ? token : undefined
}

/** What `Sec-Fetch-Site` says of a page of this site, or of no page. */
const OWN = new Set(["same-origin", "same-site", "none"])

/**
 * Does the browser say that this POST comes from another site?
 *
 * `Sec-Fetch-Site` is believed first: a page can't set it. Without it, or where it says what nobody knows, an `Origin` of
 * another host says the same; the text "null" proves nothing, pages with `no-referrer` send it, ours among them. Only
 * hosts are compared, since behind a proxy that ends TLS the scheme seen here may differ from the browser's.
 */
export function isCrossSite(headers: Headers, ownHost: string): boolean {
  const sites = (headers.get("sec-fetch-site") ?? "")
    .toLowerCase()
    .split(",")
    .map((site) => site.trim())
  if (sites.includes("cross-site")) return true
  if (sites.every((site) => OWN.has(site))) return false
  const origin = headers.get("origin")
  if (origin === null || origin === "null") return false
  return !URL.canParse(origin) || new URL(origin).host !== ownHost
}
