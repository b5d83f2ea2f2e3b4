/**
 * Counts events, such as failed sign-ins, for the rate limits of a configuration.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { createDeadline, withTimeout } from "../base/timeout.js"
import { coded } from "../errors/error-codes.js"
import { AdapterError, AuthError, asError, type ErrorCause, TooManyAttempts } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { isMemoryStore } from "../store/memory.js"
import type { Store } from "../store/store.js"
import {
  clientNetwork,
  createMemoryLimiter,
  DEFAULT_LIMITS,
  type Limiter,
  type LimitName,
  type RateLimitOptions,
} from "./rate-limit.js"
import { sha256Base64url } from "./tokens.js"

/**
 * Counts one event of a subject, such as an account. Resolves to undefined if the event is within the limit, otherwise
 * to the milliseconds until the next event is allowed.
 */
export type CountEvent = (...subject: string[]) => Promise<number | undefined>

export interface Limits {
  /** Counts one event of a subject, see `CountEvent`. */
  count(name: LimitName, ...subject: Parameters<CountEvent>): ReturnType<CountEvent>
  /**
   * Counts one event of the client with this address, see `CountEvent`. Clients without a known address share one
   * count. Beyond the limit they are delayed but not refused, because otherwise one visitor could lock out all of them.
   */
  countClient(name: LimitName, address: string | undefined): Promise<number | undefined>
  /** Counts one event of the whole site. Beyond the limit, the event is delayed but not refused. */
  countSite(name: LimitName): Promise<void>
  /** Undoes the counting of one event. */
  refund(name: LimitName, ...subject: string[]): Promise<void>
}

const DEFAULT_WINDOW_SECONDS = 15 * 60
/** The time limit for a call of the store. It is short, because a user waits for the response. */
const STORE_TIMEOUT_MS = 2_000
/** How long this process counts in memory after a failure of the store, before it tries the store again. */
const RETRY_MS = 5_000
/** The delay of a request that exceeds a limit, if this limit delays requests instead of refusing them. */
export const DELAY_MS = 1_000

/** Creates the error for a request beyond a limit. */
export function createLimitError(name: LimitName, retryAfterMs: number, facts: ErrorCause): TooManyAttempts {
  const error = new TooManyAttempts(`too many attempts: the limit ${name} is reached`, facts)
  error.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return error
}

interface StoreLimit extends LimitRule {
  readonly now: () => number
}

/** A limiter that counts in a store, so that all processes count together. */
const createStoreLimiter = (store: Store, { maxEvents, seconds, now }: StoreLimit): Limiter => ({
  async consume(key) {
    const { count, resetsAt } = await store.increment("limit", key, { seconds })
    return count > maxEvents ? Math.max(0, resetsAt.getTime() - now()) : undefined
  },
  async refund(key) {
    await store.increment("limit", key, { seconds, by: -1 })
  },
})

interface LimiterContext {
  readonly now: () => number
  readonly store: Store | undefined
}

/** The number of events that are allowed in a window, and the length of the window. */
interface LimitRule {
  readonly maxEvents: number
  readonly seconds: number
}

/** The two limiters of one limit. */
interface LimiterPair {
  /**
   * Counts in the store. Undefined without a store, and for a store in memory, which other processes do not share and
   * which does not limit the number of its counters.
   */
  readonly shared: Limiter | undefined
  /** Counts in this process, if there is no shared limiter or while the store fails. */
  readonly memory: Limiter
}

const createLimiterPair = ({ maxEvents, seconds }: LimitRule, { now, store }: LimiterContext): LimiterPair => ({
  shared: store && !isMemoryStore(store) ? createStoreLimiter(store, { maxEvents, seconds, now }) : undefined,
  memory: createMemoryLimiter(maxEvents, seconds, now),
})

function createLimiterPairs(
  { windowSeconds: seconds = DEFAULT_WINDOW_SECONDS, ...options }: RateLimitOptions,
  context: LimiterContext,
) {
  const create = (name: LimitName) =>
    createLimiterPair({ maxEvents: options[name] ?? DEFAULT_LIMITS[name], seconds }, context)
  // The keys of `DEFAULT_LIMITS` are the names of the limits.
  const names = Object.keys(DEFAULT_LIMITS) as LimitName[]
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<LimitName, LimiterPair>
}

interface LimitsContext extends LimiterContext {
  readonly logger: Pick<Logger, "error">
}

interface LimitedSubject {
  readonly name: string
  readonly subject: readonly string[]
}

/**
 * Creates a function that runs an operation with the limiter in the store. If the store fails, the function logs the
 * failure and uses the limiter in memory, so that limits still apply and no user is locked out.
 */
function createRunner({ logger }: Pick<LimitsContext, "logger">) {
  const logFailure = (name: string, error: unknown) => {
    const failure = asError(error)
    const err = failure instanceof AdapterError ? (failure.cause?.err ?? failure) : failure
    logger.error(
      coded(
        "rate-limiter-failed",
        new AuthError("the store failed to count attempts, so this process counted in memory", { err, limit: name }),
      ),
    )
  }
  let isRetryDue = () => true
  return async function run<T>(
    operation: (limiter: Limiter, key: string) => Promise<T>,
    { shared, memory }: LimiterPair,
    { name, subject }: LimitedSubject,
  ): Promise<T> {
    // Keys are hashed, because they contain addresses and names, and sometimes a password typed into the wrong field.
    const key = `${name}:${sha256Base64url(subject.join("\n"))}`
    if (!shared || !isRetryDue()) return operation(memory, key)
    try {
      return await withTimeout(
        operation(shared, key),
        STORE_TIMEOUT_MS,
        `no response within ${STORE_TIMEOUT_MS / 1000} s`,
      )
    } catch (error) {
      isRetryDue = createDeadline(RETRY_MS)
      logFailure(name, error)
      return operation(memory, key)
    }
  }
}

/** Creates a limit that `rateLimit: false` does not turn off. */
export function createLimit(name: string, rule: LimitRule, context: LimitsContext): CountEvent {
  const run = createRunner(context)
  const pair = createLimiterPair(rule, context)
  return (...subject) => run((limiter, key) => limiter.consume(key), pair, { name, subject })
}

/** Creates the limits of a configuration. */
export function createLimits(options: RateLimitOptions, context: LimitsContext): Limits {
  const run = createRunner(context)
  const pairs = createLimiterPairs(options, context)
  const count = (name: LimitName, ...subject: string[]) =>
    run((limiter, key) => limiter.consume(key), pairs[name], { name, subject })
  const delay = async (name: LimitName, subject: string) => {
    if ((await count(name, subject)) !== undefined) await pause(DELAY_MS)
  }
  return {
    count,
    async countClient(name, address) {
      if (address) return count(name, clientNetwork(address))
      await delay(name, clientNetwork(undefined))
      return undefined
    },
    countSite: (name) => delay(name, ""),
    refund: (name, ...subject) => run((limiter, key) => limiter.refund(key), pairs[name], { name, subject }),
  }
}
