import { createRequire } from "node:module"
import type Bowser from "bowser"
import { memoize } from "../base/memoize.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { addressBucket } from "../security/rate-limit.js"
import type { Device, SessionCookies } from "./session.js"

/** Longer headers are not from browsers. */
const MAX_LENGTH = 512

/** Loaded at the first sign-in, because most processes of a script never need it. */
const loadParser = memoize((): typeof Bowser => createRequire(import.meta.url)("bowser"))

/** The network of an address: /24 for IPv4, /48 for IPv6. */
function truncateAddress(address: string): string {
  const client = addressBucket(address)
  return client.includes(":") ? `${client.split(":").slice(0, 3).join(":")}::/48` : client.replace(/\.\d+$/, ".0/24")
}

/** Describes the browser of a session for its record. */
export function describeDevice(
  { userAgent, clientAddress }: Pick<SessionCookies, "userAgent" | "clientAddress">,
  { recordAddress }: ResolvedConfig["session"],
): Device & { readonly address?: string } {
  const address = recordAddress === "truncated" && clientAddress ? truncateAddress(clientAddress) : clientAddress
  return { ...parseDevice(userAgent), ...(recordAddress && address !== undefined && { address }) }
}

/** Parses a `User-Agent` header. Unknown browsers and platforms are left out. */
export function parseDevice(userAgent: string | null | undefined): Device {
  if (!userAgent || userAgent.length > MAX_LENGTH) return {}
  const { browser, os } = loadParser().parse(userAgent)
  return { ...(browser.name && { browser: browser.name }), ...(os.name && { platform: os.name }) }
}
