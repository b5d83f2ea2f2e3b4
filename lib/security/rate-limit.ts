import { isIPv6 } from "node:net"
import type { Awaitable } from "../types.js"

/**
 * Counts attempts. `RateLimiterMemory`, `RateLimiterRedis` and the others of `rate-limiter-flexible` fit.
 * `consume` rejects with `{ msBeforeNext }` when the limit is reached, and with an `Error` when its store fails.
 */
export interface RateLimiter {
  /** Counts one attempt; rejects when there were too many. */
  consume(key: string): Promise<unknown>
  /** Resets a key, after a successful attempt for an account that `rateLimit.account` returned. */
  delete?(key: string): Promise<unknown>
  /** Gives one point back, after a successful attempt. Without it successful attempts count as well. */
  reward?(key: string): Promise<unknown>
}

/** Limits on attempts with credentials, on sign-in emails, on sign-ups with a passkey and on starts of an OAuth sign-in. */
export interface RateLimitOptions {
  /** Attempts with credentials in the window, for one account from one client. @default 10 */
  attempts?: number
  /** Failed attempts with credentials in the window from one client, over all accounts. @default 100 */
  failuresPerClient?: number
  /** Failed attempts with credentials in the window on the whole site; beyond it each attempt is delayed by a second, and none is refused. @default 1000 */
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
  /** Sign-ins with OAuth or OpenID Connect in the window that one client starts, whether it finishes them or not. @default 300 */
  oauthSignInsPerClient?: number
  /** The length of the window, in seconds. @default 900 (15 minutes) */
  windowSeconds?: number
  /**
   * Returns the account that an attempt is for; a right password then resets its count. Return equal text for names that
   * your database treats as equal, and different text for others. An attempt for which it returns no text has no account.
   * @default every field whose name identifies an account
   */
  account?: (credentials: Record<string, unknown>) => Awaitable<string>
  /**
   * Counts in a store that several processes share, instead of this process's memory: a limiter for `attempts`, or a
   * function that creates one for each limit.
   *
   * @example
   * limiter: ({ name, points, windowSeconds }) =>
   *   new RateLimiterRedis({ storeClient, keyPrefix: name, points, duration: windowSeconds })
   */
  limiter?: RateLimiter | ((limit: RateLimit) => RateLimiter)
}

/** What a limiter is to count. */
export interface RateLimit {
  /** The option whose limit it is. */
  readonly name:
    | "attempts"
    | "failuresPerClient"
    | "failuresPerSite"
    | "emailsPerAddress"
    | "emailsPerMailbox"
    | "emailsPerClient"
    | "passkeySignUpsPerAddress"
    | "passkeySignUpsPerClient"
    | "oauthSignInsPerClient"
  /** How many in the window. */
  readonly points: number
  /** The length of the window, in seconds. */
  readonly windowSeconds: number
}

/** An office or a school may be one client: its limits are far above what it uses. */
export const DEFAULT_LIMITS: Readonly<Record<RateLimit["name"], number>> = {
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

/** The most keys kept in each of the two maps; the oldest are evicted first. */
const MAX_KEYS = 50_000

interface Count {
  readonly used: number
  readonly endsAt: number
}

/** Thrown when the limit of a key is reached. */
class LimitReached extends Error {
  constructor(readonly msBeforeNext: number) {
    super("too many attempts")
  }
}

/** Counts in the memory of this process, within a bound. New keys evict no exhausted one, however many there are. */
export function createMemoryLimiter(points: number, windowSeconds: number, now: () => number): RateLimiter {
  const active = new Map<string, Count>()
  const exhausted = new Map<string, Count>()
  const windowMs = windowSeconds * 1000
  /** If a window ends later than a new one would, the clock was set back: the count is void, or its key would be locked out for as long. */
  const isCurrent = ({ endsAt }: Count) => endsAt > now() && endsAt <= now() + windowMs
  const find = (key: string) => exhausted.get(key) ?? active.get(key)
  const forget = (key: string) => void (exhausted.delete(key) || active.delete(key))
  const store = (key: string, count: Count) => {
    forget(key)
    const counts = count.used >= points ? exhausted : active
    counts.set(key, count)
    const oldest = counts.size > MAX_KEYS ? counts.keys().next().value : undefined
    if (oldest !== undefined) counts.delete(oldest)
  }
  return {
    async consume(key) {
      const found = find(key)
      const { used, endsAt } = found && isCurrent(found) ? found : { used: 0, endsAt: now() + windowMs }
      store(key, { used: used + 1, endsAt })
      if (used >= points) throw new LimitReached(endsAt - now())
    },
    async delete(key) {
      forget(key)
    },
    async reward(key) {
      const found = find(key)
      if (found && found.used > 0) store(key, { ...found, used: found.used - 1 })
    },
  }
}

/** An address of either kind with a port behind, as some proxies write it into `X-Forwarded-For`. */
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/

/** Else each connection would be another client. */
function withoutPort(address: string): string {
  const [, four, six] = WITH_PORT.exec(address) ?? []
  return four ?? six ?? address
}

/**
 * Whom an address stands for. A home or a server owns a whole IPv6 /64 and can take any address in it, so the /64
 * counts; an IPv4 address written as IPv6 counts as IPv4.
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
