import { AuthError, isError, TooManyAttempts } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { addressBucket, type RateLimiter, type RateLimitOptions, waitOf } from "../../security/rate-limit.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { ReadyCredentials } from "./index.js"

/** How the field is called that says whose account is tried. */
const ACCOUNT = /user|e-?mail|login|account|identifier|phone|handle/i

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim().toLowerCase() : ""

/**
 * Whose account is tried: one field, known by its name. Any other may hold the guess itself, or be varied at will,
 * and then each attempt would count as the first; without such a field all attempts of an address count together.
 */
function accountOf({ body }: AuthCall, { inputs }: ReadyCredentials, account: RateLimitOptions["account"]): string {
  if (account) return String(account({ ...body }))
  const names = Object.keys(inputs).length > 0 ? Object.keys(inputs) : Object.keys(body)
  const name = names.find((candidate) => ACCOUNT.test(candidate) && inputs[candidate]?.type !== "password")
  return name === undefined ? "" : textOf(body[name])
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
  // Hashed: keys may land in a store, and people type passwords into the wrong field.
  const { rateLimit } = runtime.config
  const account = accountOf(call, provider, rateLimit === false ? undefined : rateLimit.account)
  const key = sha256Base64url(`${provider.id}\n${addressBucket(call.clientAddress)}\n${account}`)
  try {
    await limiter.consume(key)
  } catch (rejection) {
    const ms = waitOf(rejection)
    if (ms === undefined)
      throw new AuthError("the rate limiter failed", { err: asCause(rejection), provider: provider.id })
    const refusal = new TooManyAttempts("too many sign-in attempts for one account from one address", {
      provider: provider.id,
    })
    refusal.retryAfterSeconds = Math.max(1, Math.ceil(ms / 1000))
    throw refusal
  }
  return { succeeded: () => forget(key, limiter, runtime) }
}

/** After the right password; that the count stays is no reason to refuse it. */
async function forget(key: string, limiter: RateLimiter, { logger }: Runtime): Promise<void> {
  try {
    await limiter.delete?.(key)
  } catch (error) {
    logger.error(new AuthError("the rate limiter failed to forget an attempt", { err: asCause(error) }))
  }
}

const asCause = (value: unknown): Error => (isError(value) ? value : new Error(String(value)))
