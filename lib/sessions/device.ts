import { createRequire } from "node:module"
import { isIPv4 } from "node:net"
import type Bowser from "bowser"
import { memoize } from "../base/memoize.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { clientNetwork } from "../security/rate-limit.js"
import type { Device, SessionCookies } from "./session.js"

/** The longest `User-Agent` header that is parsed. Browsers do not send longer ones. */
const MAX_USER_AGENT_LENGTH = 512

/** Loads the parser at its first use. Scripts that serve no sign-ins never need it. */
const loadParser = memoize((): typeof Bowser => createRequire(import.meta.url)("bowser"))

/** Returns the network of an address: /24 for IPv4, /48 for IPv6. Undefined if the text is not an IP address. */
function truncateAddress(address: string): string | undefined {
  const network = clientNetwork(address)
  if (isIPv4(network)) return network.replace(/\.\d+$/, ".0/24")
  return network.endsWith("::/64") ? `${network.split(":").slice(0, 3).join(":")}::/48` : undefined
}

/** Returns the browser of a session for its record, with the client's address if `session.recordAddress` is set. */
export function describeDevice(
  { userAgent, clientAddress }: Pick<SessionCookies, "userAgent" | "clientAddress">,
  { recordAddress }: ResolvedConfig["session"],
): Device & { readonly address?: string } {
  const address = recordAddress === "truncated" && clientAddress ? truncateAddress(clientAddress) : clientAddress
  return { ...parseDevice(userAgent), ...(recordAddress && address !== undefined && { address }) }
}

/** Parses a `User-Agent` header. Unknown browsers and platforms are left out. */
export function parseDevice(userAgent: string | null | undefined): Device {
  if (!userAgent || userAgent.length > MAX_USER_AGENT_LENGTH) return {}
  const { browser, os } = loadParser().parse(userAgent)
  return { ...(browser.name && { browser: browser.name }), ...(os.name && { platform: os.name }) }
}
