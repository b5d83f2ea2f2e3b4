/**
 * Addresses of databases, and how to speak of them without their passwords.
 *
 * @module
 */

/** The address as a URL; undefined for the name of a file. */
function urlOf(address: string): URL | undefined {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined
}

/** Where it leads: host and database, without user, password and options. */
export function shownAddress(address: string): string {
  const url = urlOf(address)
  if (url) return `${url.protocol}//${url.host}${url.pathname}`
  // What is no URL may be one with a mistake in it.
  return address.includes("@") ? "the database" : address
}

/** The text without the address' password, however it is written. */
export function withoutPassword(text: string, address: string): string {
  const url = urlOf(address)
  const password = url ? url.password : /:([^:@/]+)@/.exec(address)?.[1]
  const secrets = [address, password, password && decoded(password), url?.searchParams.get("password")]
  return secrets.reduce<string>((shown, secret) => (secret ? shown.replaceAll(secret, "***") : shown), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
