import { isIPv6 } from "node:net"
import type { Awaitable } from "../types.js"

/**
 * Counts attempts. `RateLimiterMemory`, `RateLimiterRedis` and the others of `rate-limiter-flexible` fit.
 * `consume` rejects with `{ msBeforeNext }` when the limit is reached, and with an `Error` when its store fails.
 */
export interface RateLimiter {
  /** Counts one attempt; rejects when there were too many. */
  consume(key: string): Promise<unknown>
  /** Forgets a key, after an attempt that was right, where `rateLimit.account` says whose it was. */
  delete?(key: string): Promise<unknown>
  /**
   * Gives one point back, after an attempt that was right. Without it such an attempt counts too, unless
   * `rateLimit.account` says whose it was and there is `delete`.
   */
  reward?(key: string): Promise<unknown>
}

/** Limits on wrong credentials and on mails. */
export interface RateLimitOptions {
  /** Attempts with credentials in the window, for one account from one address. @default 10 */
  attempts?: number
  /** Seconds for which what happened counts. @default 900 (15 minutes) */
  windowSeconds?: number
  /**
   * Whose account an attempt is for; the right password then clears its count. Of what your database takes for the same
   * name make the same text, and of what it keeps apart two; what is no text is nobody's, counted for all alike.
   * @default every field that tells it by its name
   */
  account?: (credentials: Record<string, unknown>) => Awaitable<string>
  /** Sign-in mails to one mailbox in the window; "+tag" and dots before the "@" make no other one. @default 5 */
  mails?: number
  /** Sign-in mails that one client may ask for in the window, whatever the addresses. @default 60 */
  mailsOfClient?: number
  /**
   * Counts in a store that several processes share, in place of this process's memory: a limiter for the attempts, or
   * a function that makes one for each kind of count.
   *
   * @example
   * limiter: ({ name, points, windowSeconds }) =>
   *   new RateLimiterRedis({ storeClient, keyPrefix: name, points, duration: windowSeconds })
   */
  limiter?: RateLimiter | ((limit: RateLimit) => RateLimiter)
}

/** What a limiter is to count. */
export interface RateLimit {
  /** What is counted. */
  readonly name: "attempts" | "mails" | "mailsOfClient"
  /** How many in the window. */
  readonly points: number
  /** Seconds for which an attempt counts. */
  readonly windowSeconds: number
}

/** A counter for each kind. */
export type RateLimiters = Readonly<Record<RateLimit["name"], RateLimiter>>

/** The limiter's answer when it refuses: how long to wait. A failing store is no refusal. */
export function waitOf(rejection: unknown): number | undefined {
  const ms: unknown =
    typeof rejection === "object" && rejection !== null ? Reflect.get(rejection, "msBeforeNext") : undefined
  return typeof ms === "number" ? ms : undefined
}

/** The most keys kept; the oldest go first. */
const MAX_KEYS = 50_000

/** There were too many attempts. */
class LimitReached extends Error {
  constructor(readonly msBeforeNext: number) {
    super("too many attempts")
  }
}

/** Counts in the memory of this process, within a bound. */
export function createMemoryLimiter(attempts: number, windowSeconds: number, now: () => number): RateLimiter {
  const counts = new Map<string, { used: number; endsAt: number }>()
  const windowMs = windowSeconds * 1000
  /** No window ends later than one that begins now: else the clock was set back, and people would be locked out as long. */
  const isOpen = ({ endsAt }: { endsAt: number }) => endsAt > now() && endsAt <= now() + windowMs
  return {
    async consume(key) {
      const seen = counts.get(key)
      const entry = seen && isOpen(seen) ? seen : { used: 0, endsAt: now() + windowMs }
      counts.delete(key)
      counts.set(key, { ...entry, used: entry.used + 1 })
      const oldest = counts.size > MAX_KEYS ? counts.keys().next().value : undefined
      if (oldest !== undefined) counts.delete(oldest)
      if (entry.used >= attempts) throw new LimitReached(entry.endsAt - now())
    },
    async delete(key) {
      counts.delete(key)
    },
    async reward(key) {
      const entry = counts.get(key)
      if (entry && entry.used > 0) counts.set(key, { ...entry, used: entry.used - 1 })
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
