import { coded } from "../error-codes.js"
import { BadRequest, untrustedHost } from "../errors.js"
import { isOnThisMachine } from "./this-machine.js"

/** What a configuration says of hosts. */
export interface HostTrust {
  readonly trustHost: boolean | readonly string[]
  readonly canonicalOrigin: string | undefined
  readonly isProduction: boolean
}

const WILDCARD = "*."

/**
 * An entry of `trustHost` as URLs write hosts, in lower case and without the default port; undefined when it is none.
 * It may begin with one wildcard label.
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

/** May links be made for this origin? Outside production this machine's own hosts need no entry. */
export function isTrustedHost(origin: string, { trustHost, canonicalOrigin, isProduction }: HostTrust): boolean {
  if (typeof trustHost === "boolean" || canonicalOrigin !== undefined) return Boolean(trustHost)
  const { host } = new URL(origin)
  return trustHost.some((entry) => matches(host, entry)) || (!isProduction && isOnThisMachine(origin))
}

/**
 * Refuses a request for a host that is not ours: links with codes in them would lead there.
 *
 * @throws UntrustedHost when no host is trusted, BadRequest when `trustHost` does not list this one
 */
export function requireTrustedHost(address: string, trust: HostTrust): void {
  if (isTrustedHost(address, trust)) return
  if (!trust.trustHost) throw untrustedHost(address)
  const { host } = new URL(address)
  throw coded("host-not-listed", new BadRequest(`trustHost does not list the host of the request, ${host}`, { host }))
}
