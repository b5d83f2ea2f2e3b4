import { coded } from "../../error-codes.js"
import { AuthError, isError, TooManyAttempts } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { addressBucket, type RateLimiter, type RateLimitOptions, waitOf } from "../../security/rate-limit.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { ReadyCredentials } from "./index.js"

/** How the field is called that says whose account is tried. */
const ACCOUNT = /user|e-?mail|login|account|identifier|phone|handle/i

/** In place of a name that is not known. */
const NOBODY = ""
/** More names than that are nobody's: then all attempts of an address count together. */
const MAX_NAMES = 5
/** What databases may overlook when they compare: accents, white space and what nobody sees. */
const OVERLOOKED = /[\p{M}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** One spelling for counting: a name that some database takes for another one must not be counted apart. */
const spelling = (value: unknown): string =>
  typeof value === "string" || typeof value === "number"
    ? String(value).normalize("NFKD").replace(OVERLOOKED, "").toUpperCase().toLowerCase()
    : ""

/**
 * Whose account is tried: what stands in the fields that are known by their names. Any other field may hold the guess
 * itself, or be varied at will, and then each attempt would count as the first. Which of several the application reads
 * is not known here, and a client may add some of its own: all of them count.
 */
function namesOf({ body }: AuthCall, { inputs }: ReadyCredentials, account: RateLimitOptions["account"]): string[] {
  if (account) return [String(account({ ...body }))]
  const fields = Object.keys(inputs).length > 0 ? Object.keys(inputs) : Object.keys(body)
  const telling = fields.filter((field) => ACCOUNT.test(field) && inputs[field]?.type !== "password")
  if (telling.length > MAX_NAMES) return [NOBODY]
  const names = new Set(telling.map((field) => spelling(body[field])).filter(Boolean))
  return names.size > 0 ? [...names] : [NOBODY]
}

/**
 * Counts an attempt for one account from one address, so that a stranger elsewhere can't lock the owner out.
 *
 * @throws TooManyAttempts when there were too many
 */
export async function limitAttempts(
  call: AuthCall,
  provider: ReadyCredentials,
  runtime: Runtime,
): Promise<{ succeeded(): Promise<void> }> {
  const limiter = runtime.limiters?.attempts
  if (!limiter) return { succeeded: async () => {} }
  const { rateLimit } = runtime.config
  const names = namesOf(call, provider, rateLimit === false ? undefined : rateLimit.account)
  // Hashed: keys may land in a store, and people type passwords into the wrong field.
  const keys = names.map((name) => sha256Base64url(`${provider.id}\n${addressBucket(call.clientAddress)}\n${name}`))
  for (const key of keys) await consume(key, limiter, provider)
  const isNamed = rateLimit !== false && rateLimit.account !== undefined && names[0] !== NOBODY
  return { succeeded: () => forgive({ keys, isNamed }, limiter, runtime) }
}

async function consume(key: string, limiter: RateLimiter, { id }: ReadyCredentials): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (rejection) {
    const ms = waitOf(rejection)
    if (ms === undefined)
      throw coded(
        "rate-limiter-failed",
        new AuthError("the rate limiter failed", { err: asCause(rejection), provider: id }),
      )
    const refusal = new TooManyAttempts("too many sign-in attempts for one account from one address", { provider: id })
    refusal.retryAfterSeconds = Math.max(1, Math.ceil(ms / 1000))
    throw refusal
  }
}

interface Counted {
  readonly keys: readonly string[]
  /** Did the application itself say whose account it is? Then the count is nobody else's. */
  readonly isNamed: boolean
}

/**
 * After the right password. What we count by ourselves is counted for all whose names look alike, for everybody who
 * sends the same field, or for everybody at the address: it keeps what was counted before, else one's own password would
 * buy more guesses at somebody else's. That a count stays is no reason to refuse anybody.
 */
async function forgive({ keys, isNamed }: Counted, limiter: RateLimiter, { logger }: Runtime): Promise<void> {
  try {
    if (isNamed && limiter.delete) await limiter.delete(keys[0] ?? "")
    else await Promise.all(keys.map(async (key) => limiter.reward?.(key)))
  } catch (error) {
    logger.error(
      coded(
        "rate-limiter-failed",
        new AuthError("the rate limiter failed to forget an attempt", { err: asCause(error) }),
      ),
    )
  }
}

const asCause = (value: unknown): Error => (isError(value) ? value : new Error(String(value)))
