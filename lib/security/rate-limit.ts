import { isIPv6 } from "node:net"
import type { Awaitable } from "../base/awaitable.js"
import { createLruCache } from "../cache/lru-cache.js"

/**
 * Limits on attempts with credentials, on sign-in emails, on sign-ups with a passkey and on starts of an OAuth sign-in.
 * Each number is the maximum in one window of `windowSeconds`.
 */
export interface RateLimitOptions {
  /** Attempts with credentials for one account from one client. @default 10 */
  attempts?: number
  /** Failed attempts with credentials from one client, for all accounts together. @default 100 */
  failuresPerClient?: number
  /**
   * Failed attempts with credentials on the whole site. Beyond this limit, each attempt is delayed by a second but not
   * refused. @default 1000
   */
  failuresPerSite?: number
  /** Sign-in emails to one exact address. @default 5 */
  emailsPerAddress?: number
  /**
   * Sign-in emails to one mailbox. Addresses that differ only in a "+tag" or in dots before the "@" are counted
   * together.
   * @default 20
   */
  emailsPerMailbox?: number
  /** Sign-in emails that one client requests, for all addresses together. @default 60 */
  emailsPerClient?: number
  /** Sign-ups with a passkey for one email address from one client. @default 5 */
  passkeySignUpsPerAddress?: number
  /** Sign-ups with a passkey from one client. @default 60 */
  passkeySignUpsPerClient?: number
  /** Sign-ins with OAuth or OpenID Connect that one client starts, whether they are finished or not. @default 300 */
  oauthSignInsPerClient?: number
  /** The length of the window, in seconds. @default 900 (15 minutes) */
  windowSeconds?: number
  /**
   * Returns the name of the account that the submitted fields are for. Return the same text for names that your
   * database treats as equal, and different texts for other names. If the text is empty, the limit `attempts` is not
   * applied.
   * @default the values of all fields whose names identify an account
   */
  account?: (credentials: Record<string, unknown>) => Awaitable<string>
}

/** The name of a limit, which is the name of its option. */
export type LimitName =
  | "attempts"
  | "failuresPerClient"
  | "failuresPerSite"
  | "emailsPerAddress"
  | "emailsPerMailbox"
  | "emailsPerClient"
  | "passkeySignUpsPerAddress"
  | "passkeySignUpsPerClient"
  | "oauthSignInsPerClient"

/** The default limits. The limits per client are high, because a whole office or school may share one IP address. */
export const DEFAULT_LIMITS: Readonly<Record<LimitName, number>> = {
  attempts: 10,
  failuresPerClient: 100,
  failuresPerSite: 1_000,
  emailsPerAddress: 5,
  emailsPerMailbox: 20,
  emailsPerClient: 60,
  passkeySignUpsPerAddress: 5,
  passkeySignUpsPerClient: 60,
  oauthSignInsPerClient: 300,
}

/** The maximum number of keys in each of the two caches. The least recently used keys are removed first. */
const MAX_KEYS = 50_000

/** How many events of a key were counted in its window, and when the window ends, in milliseconds since 1970. */
interface WindowCount {
  readonly used: number
  readonly endsAt: number
}

/** Counts the events of each key in a window. */
export interface Limiter {
  /**
   * Counts one event. Resolves to undefined if the event is within the limit, otherwise to the milliseconds until the
   * next event is allowed.
   */
  consume(key: string): Promise<number | undefined>
  /** Undoes the counting of one event. */
  refund(key: string): Promise<void>
}

/**
 * Creates a limiter in the memory of this process, with a limited number of keys. Keys whose limit is reached are in a
 * separate cache, so that keys below the limit never evict them.
 */
export function createMemoryLimiter(maxEvents: number, windowSeconds: number, now: () => number): Limiter {
  const [active, exhausted] = [createLruCache<WindowCount>(MAX_KEYS), createLruCache<WindowCount>(MAX_KEYS)]
  const windowMs = windowSeconds * 1000
  /** False if the window has ended, or if it ends later than a new window would, because the clock was set back. */
  const isCurrent = ({ endsAt }: WindowCount) => endsAt > now() && endsAt <= now() + windowMs
  const find = (key: string) => exhausted.get(key) ?? active.get(key)
  const setCount = (key: string, count: WindowCount) => {
    const [newCache, otherCache] = count.used >= maxEvents ? [exhausted, active] : [active, exhausted]
    otherCache.delete(key)
    newCache.set(key, count)
  }
  return {
    async consume(key) {
      const found = find(key)
      const { used, endsAt } = found && isCurrent(found) ? found : { used: 0, endsAt: now() + windowMs }
      setCount(key, { used: used + 1, endsAt })
      return used >= maxEvents ? endsAt - now() : undefined
    },
    async refund(key) {
      const found = find(key)
      if (found && found.used > 0) setCount(key, { ...found, used: found.used - 1 })
    },
  }
}

/**
 * Matches an IPv4 address with a port, or an IPv6 address in brackets with or without a port. Some proxies write such
 * addresses into `X-Forwarded-For`.
 */
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/

/** Removes the port of an address. With the port, each connection would be treated as another client. */
function withoutPort(address: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(address) ?? []
  return ipv4 ?? ipv6 ?? address
}

/**
 * Returns the network that is counted as one client: an IPv4 address, or an IPv6 /64 network, because a household or a
 * server can use any address in that network. An IPv4-mapped IPv6 address is treated as IPv4. Returns "unknown" if the
 * address is not known.
 */
export function clientNetwork(address: string | undefined): string {
  if (!address) return "unknown"
  const bare = withoutPort(address).replace(/%.*/, "").toLowerCase()
  if (!isIPv6(bare)) return bare
  // The URL parser writes an IPv6 address in its one canonical form (RFC 5952).
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split("::").map((half) => half.split(":").filter(Boolean))
  const groups = [...left, ...Array(8 - left.length - right.length).fill("0"), ...right]
  if (groups.slice(0, 5).every((g) => g === "0") && groups[5] === "ffff") return toMappedIpv4(groups)
  return `${groups.slice(0, 4).join(":")}::/64`
}

/** Converts the last two groups of an IPv4-mapped IPv6 address to an IPv4 address. */
function toMappedIpv4(groups: readonly string[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join(".")
}
