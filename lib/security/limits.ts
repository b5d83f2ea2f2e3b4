/**
 * The limits of one configuration: the only module that calls limiters.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { coded } from "../error-codes.js"
import { AuthError, type ErrorCause, isError, TooManyAttempts } from "../errors.js"
import type { Logger } from "../logger.js"
import { createDeadline, withTimeout } from "../timeout.js"
import {
  addressBucket,
  createMemoryLimiter,
  DEFAULT_LIMITS,
  type RateLimit,
  type RateLimiter,
  type RateLimitOptions,
} from "./rate-limit.js"
import { sha256Base64url } from "./tokens.js"

type LimitName = RateLimit["name"]

export interface Limits {
  /** Counts one event. Resolves to the milliseconds until the next one is allowed when the limit is reached. */
  count(name: LimitName, ...subject: string[]): Promise<number | undefined>
  /**
   * Counts one event of a client. Clients without a known address share one count; it delays them and refuses none,
   * because one visitor could otherwise lock out all.
   */
  countClient(name: LimitName, address: string | undefined): Promise<number | undefined>
  /** Counts one event of the whole site. It delays and never refuses. */
  countSite(name: LimitName): Promise<void>
  /** Takes one event back. */
  refund(name: LimitName, ...subject: string[]): Promise<void>
  /** Sets a count to zero. */
  reset(name: LimitName, ...subject: string[]): Promise<void>
}

const DEFAULT_WINDOW_SECONDS = 15 * 60
/** A user waits for it. */
const LIMITER_TIMEOUT_MS = 1_000
/** How long a limiter that failed is left alone. */
const RETRY_MS = 5_000
/** How long a request waits when a limit is reached that never refuses. */
export const DELAY_MS = 1_000

/** The wait that a limiter's rejection states. A failure of its store states none. */
export function retryAfterMs(rejection: unknown): number | undefined {
  const ms: unknown =
    typeof rejection === "object" && rejection !== null ? Reflect.get(rejection, "msBeforeNext") : undefined
  return typeof ms === "number" ? ms : undefined
}

/** The refusal of a request for which a limit is reached. */
export function limitReached(name: LimitName, retryAfterMs: number, facts: ErrorCause): TooManyAttempts {
  const refusal = new TooManyAttempts(`too many attempts: the limit ${name} is reached`, facts)
  refusal.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return refusal
}

async function consume(limiter: RateLimiter, key: string): Promise<number | undefined> {
  try {
    await limiter.consume(key)
    return undefined
  } catch (rejection) {
    const ms = retryAfterMs(rejection)
    if (ms === undefined) throw rejection
    return ms
  }
}

async function giveBack(limiter: RateLimiter, key: string): Promise<void> {
  await limiter.reward?.(key)
}

async function forget(limiter: RateLimiter, key: string): Promise<void> {
  await (limiter.delete ? limiter.delete(key) : limiter.reward?.(key))
}

/** The application's limiter for each limit, if it has one, and this process's own. */
function createLimiters(
  { limiter, windowSeconds = DEFAULT_WINDOW_SECONDS, ...options }: RateLimitOptions,
  now: () => number,
) {
  const create = (name: LimitName) => {
    const points = options[name] ?? DEFAULT_LIMITS[name]
    // A limiter that is an object has one number of points, which was chosen for the attempts.
    const single = name === "attempts" ? limiter : undefined
    return {
      shared:
        typeof limiter === "function" ? limiter({ name, points, windowSeconds }) : (single as RateLimiter | undefined),
      memory: createMemoryLimiter(points, windowSeconds, now),
    }
  }
  // The keys of the defaults are the names.
  const names = Object.keys(DEFAULT_LIMITS) as LimitName[]
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<LimitName, ReturnType<typeof create>>
}

export function createLimits(
  options: RateLimitOptions,
  { now, logger }: { readonly now: () => number; readonly logger: Pick<Logger, "error"> },
): Limits {
  const limiters = createLimiters(options, now)
  const report = (name: LimitName, error: unknown) => {
    const cause = { err: isError(error) ? error : new Error(String(error)), limit: name }
    logger.error(
      coded("rate-limiter-failed", new AuthError("the rate limiter failed, and this process counted by itself", cause)),
    )
  }
  let isRetryDue = () => true
  /** Runs on the application's limiter; when that fails, on this process's own: a limit is never off, and locks no user out. */
  async function run<T>(
    operation: (limiter: RateLimiter, key: string) => Promise<T>,
    name: LimitName,
    subject: string[],
  ) {
    const { shared, memory } = limiters[name]
    // Hashed: keys may be stored where addresses and names must not be, and users type passwords into the wrong field.
    const key = `${name}:${sha256Base64url(subject.join("\n"))}`
    if (!shared || !isRetryDue()) return operation(memory, key)
    try {
      return await withTimeout(
        operation(shared, key),
        LIMITER_TIMEOUT_MS,
        `no answer within ${LIMITER_TIMEOUT_MS / 1000} s`,
      )
    } catch (error) {
      isRetryDue = createDeadline(RETRY_MS)
      report(name, error)
      return operation(memory, key)
    }
  }
  const count = (name: LimitName, ...subject: string[]) => run(consume, name, subject)
  const delay = async (name: LimitName, subject: string) => {
    if ((await count(name, subject)) !== undefined) await pause(DELAY_MS)
  }
  return {
    count,
    async countClient(name, address) {
      if (address) return count(name, addressBucket(address))
      await delay(name, addressBucket(undefined))
      return undefined
    },
    countSite: (name) => delay(name, ""),
    refund: (name, ...subject) => run(giveBack, name, subject),
    reset: (name, ...subject) => run(forget, name, subject),
  }
}
