/**
 * Texts for the terminal: errors in one line, suggestions, columns, and addresses without passwords.
 *
 * @module
 */
import { nearestName } from "../config/nearest-name.js"

/** Formats an error in one line. For several errors, such as those for the addresses of one host, it uses the first. */
export function oneLine(error: unknown): string {
  const { errors, message, code } = Object(error)
  if (!message && Array.isArray(errors) && errors.length > 0) return oneLine(errors[0])
  return String(message || code || error)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ")
}

/** Returns `; did you mean …?` with the known name that is closest to a typo, or else the other text. */
export function didYouMean(typed: string, known: Iterable<string>, otherwise: string): string {
  const suggestion = nearestName(typed, [...known])
  return suggestion === undefined ? otherwise : `; did you mean ${suggestion}?`
}

/** Formats rows as two aligned columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

/** Parses the address of a database as a URL; undefined for a file name. */
function parseUrl(address: string): URL | undefined {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined
}

/** Returns the host and the database of an address, without user, password and options. */
export function redactAddress(address: string): string {
  const url = parseUrl(address)
  if (url) return `${url.protocol}//${url.host}${url.pathname}`
  // A text with "@" that is not a URL may be a misspelt URL with a password.
  return address.includes("@") ? "the database" : address
}

/** Removes the password of the address from the text, in plain and in percent-encoded form. */
export function withoutPassword(text: string, address: string): string {
  const url = parseUrl(address)
  const password = url ? url.password : /:([^:@/]+)@/.exec(address)?.[1]
  const secrets = [address, password, password && decodeSafely(password), url?.searchParams.get("password")]
  return secrets.reduce<string>((redacted, secret) => (secret ? redacted.replaceAll(secret, "***") : redacted), text)
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
