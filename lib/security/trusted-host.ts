import { isLoopbackUrl } from "../base/loopback.js"
import { coded } from "../errors/error-codes.js"
import { BadRequest, untrustedHost } from "../errors/errors.js"

/** The options that decide which hosts are trusted. */
export interface HostTrust {
  readonly trustHost: boolean | readonly string[]
  readonly canonicalOrigin: string | undefined
  readonly isProduction: boolean
}

const WILDCARD = "*."

/**
 * Normalises an entry of `trustHost` to lower case, without the default port. The entry can begin with a wildcard
 * label. Returns undefined for an invalid entry.
 */
export function parseHostEntry(entry: string): string | undefined {
  const isWildcard = entry.startsWith(WILDCARD)
  const host = isWildcard ? entry.slice(WILDCARD.length) : entry
  if (host === "" || /[\s/\\@?#*]/.test(host) || !URL.canParse(`https://${host}`)) return undefined
  return (isWildcard ? WILDCARD : "") + new URL(`https://${host}`).host
}

function matches(host: string, entry: string): boolean {
  if (!entry.startsWith(WILDCARD)) return host === entry
  const dot = host.indexOf(".")
  return dot > 0 && host.slice(dot) === entry.slice(1)
}

/**
 * True if links may use this origin. A list in `trustHost` is checked only without `canonicalOrigin`, because links
 * otherwise use that origin. Outside production, loopback hosts need no entry in the list.
 */
export function isTrustedHost(origin: string, { trustHost, canonicalOrigin, isProduction }: HostTrust): boolean {
  if (typeof trustHost === "boolean" || canonicalOrigin !== undefined) return Boolean(trustHost)
  const { host } = new URL(origin)
  return trustHost.some((entry) => matches(host, entry)) || (!isProduction && isLoopbackUrl(origin))
}

/**
 * Rejects a request for an untrusted host, because links that contain codes would point to that host.
 *
 * @throws UntrustedHost if no host is trusted, BadRequest if `trustHost` does not list this host
 */
export function requireTrustedHost(origin: string, trust: HostTrust): void {
  if (isTrustedHost(origin, trust)) return
  if (!trust.trustHost) throw untrustedHost(origin)
  const { host } = new URL(origin)
  throw coded("host-not-listed", new BadRequest(`trustHost does not list the host of the request, ${host}`, { host }))
}
