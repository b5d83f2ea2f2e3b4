import { isIPv6 } from "node:net"
import type { Awaitable } from "../base/awaitable.js"
import { createLruCache } from "../cache/lru-cache.js"

/**
 * Limits on attempts with credentials, on sign-in emails, on sign-ups with a passkey and on starts of an OAuth sign-in.
 */
export interface RateLimitOptions {
  /** Attempts with credentials in the window, for one account from one client. @default 10 */
  attempts?: number
  /** Failed attempts with credentials in the window from one client, over all accounts. @default 100 */
  failuresPerClient?: number
  /**
   * Failed attempts with credentials in the window on the whole site; beyond it each attempt is delayed by a second,
   * and none is refused. @default 1000
   */
  failuresPerSite?: number
  /** Sign-in emails in the window to one address, exactly as it is written. @default 5 */
  emailsPerAddress?: number
  /** Sign-in emails in the window to all addresses that differ in a "+tag" or in dots before the "@". @default 20 */
  emailsPerMailbox?: number
  /** Sign-in emails in the window that one client requests, for any addresses. @default 60 */
  emailsPerClient?: number
  /** Sign-ups with a passkey in the window for one email address, from one client. @default 5 */
  passkeySignUpsPerAddress?: number
  /** Sign-ups with a passkey in the window from one client. @default 60 */
  passkeySignUpsPerClient?: number
  /**
   * Sign-ins with OAuth or OpenID Connect in the window that one client starts, whether it finishes them or not.
   * @default 300
   */
  oauthSignInsPerClient?: number
  /** The length of the window, in seconds. @default 900 (15 minutes) */
  windowSeconds?: number
  /**
   * Returns the account that an attempt is for. Return equal text for names that your database treats as equal, and
   * different text for others. An attempt for which it returns no text has no account.
   * @default every field whose name identifies an account
   */
  account?: (credentials: Record<string, unknown>) => Awaitable<string>
}

/** The name of a limit, which is its option. */
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

/** The default limits. A whole office or school may be one client, so the limits per client are high. */
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

/** The maximum number of keys in each of the two caches. The oldest ones are removed first. */
const MAX_KEYS = 50_000

interface Count {
  readonly used: number
  readonly endsAt: number
}

/** Counts the events of each key in a window. */
export interface Limiter {
  /** Counts one event. Returns the milliseconds until the next one is allowed if the limit is exceeded. */
  consume(key: string): Promise<number | undefined>
  /** Undoes the counting of one event. */
  refund(key: string): Promise<void>
}

/** Creates a limiter in this process's memory, with a limited number of keys. New keys never evict an exhausted key. */
export function createMemoryLimiter(maxEvents: number, windowSeconds: number, now: () => number): Limiter {
  const [active, exhausted] = [createLruCache<Count>(MAX_KEYS), createLruCache<Count>(MAX_KEYS)]
  const windowMs = windowSeconds * 1000
  /**
   * False if the window has ended. Also false if it ends later than a new window would: the clock was set back.
   */
  const isCurrent = ({ endsAt }: Count) => endsAt > now() && endsAt <= now() + windowMs
  const find = (key: string) => exhausted.get(key) ?? active.get(key)
  const store = (key: string, count: Count) => {
    const [counts, others] = count.used >= maxEvents ? [exhausted, active] : [active, exhausted]
    others.delete(key)
    counts.set(key, count)
  }
  return {
    async consume(key) {
      const found = find(key)
      const { used, endsAt } = found && isCurrent(found) ? found : { used: 0, endsAt: now() + windowMs }
      store(key, { used: used + 1, endsAt })
      return used >= maxEvents ? endsAt - now() : undefined
    },
    async refund(key) {
      const found = find(key)
      if (found && found.used > 0) store(key, { ...found, used: found.used - 1 })
    },
  }
}

/** An IPv4 or IPv6 address with a port, as some proxies write it into `X-Forwarded-For`. */
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/

/** Removes the port of an address: with it, each connection would be another client. */
function withoutPort(address: string): string {
  const [, four, six] = WITH_PORT.exec(address) ?? []
  return four ?? six ?? address
}

/**
 * The client that an address belongs to. For IPv6 it is the /64 network, because a household or a server can use any
 * address in it. An IPv4-mapped IPv6 address is treated as IPv4.
 */
export function addressBucket(address: string | undefined): string {
  if (!address) return "unknown"
  const bare = withoutPort(address).replace(/%.*/, "").toLowerCase()
  if (!isIPv6(bare)) return bare
  // The URL parser writes an IPv6 address in its one canonical form (RFC 5952).
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split("::").map((half) => half.split(":").filter(Boolean))
  const groups = [...left, ...Array(8 - left.length - right.length).fill("0"), ...right]
  if (groups.slice(0, 5).every((g) => g === "0") && groups[5] === "ffff") return mappedFromGroups(groups)
  return `${groups.slice(0, 4).join(":")}::/64`
}

function mappedFromGroups(groups: readonly string[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join(".")
}
