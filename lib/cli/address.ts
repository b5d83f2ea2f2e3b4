/**
 * Hides the passwords in addresses of databases.
 *
 * @module
 */

/** Parses the address as a URL; undefined for a file name. */
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
