/**
 * Formats texts for the terminal: errors in one line, suggestions, columns, and addresses without passwords.
 *
 * @module
 */
import { nearestName } from "../config/nearest-name.js"

/**
 * Formats an error in one line. An error without a message may contain several errors, for example one for each address
 * of a host. Then the first of these errors is formatted.
 */
export function oneLine(error: unknown): string {
  const { errors, message, code } = Object(error)
  if (!message && Array.isArray(errors) && errors.length > 0) return oneLine(errors[0])
  return String(message || code || error)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ")
}

/** Returns `; did you mean …?` with the most similar known name. Returns `otherwise` if no known name is similar. */
export function didYouMean(input: string, known: Iterable<string>, otherwise: string): string {
  const suggestion = nearestName(input, [...known])
  return suggestion === undefined ? otherwise : `; did you mean ${suggestion}?`
}

/** Formats rows as two aligned columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

/** Parses the address of a database as a URL. Returns undefined for a file name. */
function parseUrl(address: string): URL | undefined {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined
}

/** Returns the address of a database without user, password and options. */
export function redactAddress(address: string): string {
  const url = parseUrl(address)
  if (url) return `${url.protocol}//${url.host}${url.pathname}`
  // A text with "@" that is not a URL may be a misspelt URL with a password.
  return address.includes("@") ? "the database" : address
}

/** Replaces an address of a database and its password, in plain and in percent-encoded form, with "***" in a text. */
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
