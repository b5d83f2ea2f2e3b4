import { coded } from "../../error-codes.js"
import { AuthError, isError, TooManyAttempts } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { printable } from "../../logger.js"
import type { Runtime } from "../../runtime.js"
import { addressBucket, type RateLimiter, waitOf } from "../../security/rate-limit.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { ReadyCredentials } from "./index.js"
import { isText, NOBODY, namesOf, unclearFields } from "./names.js"

/** More fields than that are not named in the log, nor more of a name: strangers send any number. */
const MAX_FIELDS = 5
const MAX_FIELD_LENGTH = 40

const fieldText = (field: string): string =>
  printable(field.length > MAX_FIELD_LENGTH ? `${field.slice(0, MAX_FIELD_LENGTH)}…` : field)

/** Says once that the limit can't know whom it counts for: a client that adds a field may get round it. */
function noticeUndeclared({ body }: AuthCall, { id, inputs }: ReadyCredentials, { logger, said }: Runtime): void {
  const fields = unclearFields(body, inputs)
  if (fields.length === 0 || !said.claim(`credentials-undeclared ${id}`)) return
  const more = fields.length > MAX_FIELDS ? ` and ${fields.length - MAX_FIELDS} more` : ""
  const came = fields.slice(0, MAX_FIELDS).map(fieldText).join(", ") + more
  logger.warn(
    "credentials-undeclared",
    `the provider "${id}" declares no fields, and of those that came the limit on attempts does not know which says whose account it is: ${came}. List the form's fields as \`credentials\`, or say it with \`rateLimit.account\`: npx latchkey explain credentials-undeclared has the lines`,
  )
}

/** The application's own word, or what the fields tell. A word that is no text is said of everybody. */
async function accountsOf(call: AuthCall, provider: ReadyCredentials, runtime: Runtime): Promise<string[]> {
  const { rateLimit } = runtime.config
  if (rateLimit !== false && rateLimit.account) {
    const account: unknown = await rateLimit.account({ ...call.body })
    return [isText(account) ? String(account) : NOBODY]
  }
  noticeUndeclared(call, provider, runtime)
  return namesOf(call.body, provider.inputs)
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
  const names = await accountsOf(call, provider, runtime)
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
