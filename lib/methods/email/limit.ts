import { AuthError, asError, TooManyAttempts } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { addressBucket, type RateLimiter, waitOf } from "../../security/rate-limit.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { ReadyEmail } from "./prepare.js"

/** Counts one mail; false when there were too many. A failing counter of the application's is no reason to refuse. */
async function count(limiter: RateLimiter, key: string, { logger }: Runtime): Promise<boolean> {
  try {
    await limiter.consume(key)
    return true
  } catch (rejection) {
    if (waitOf(rejection) !== undefined) return false
    logger.error(new AuthError("the rate limiter failed, and the mail was sent uncounted", { err: asError(rejection) }))
    return true
  }
}

/**
 * May another mail go to this address, from this client? Else somebody else's mailbox could be filled from here.
 * The answer to the client is the same either way; the operator is told.
 */
export async function mayMail(identifier: string, call: AuthCall, provider: ReadyEmail, runtime: Runtime) {
  const { limiters, logger } = runtime
  if (!limiters) return true
  // Hashed: keys may land in a store that is not meant for addresses.
  const key = (kind: string, text: string) => `mail:${sha256Base64url(`${kind}\n${text}`)}`
  const ofClient = await count(limiters.mailsOfClient, key("client", addressBucket(call.clientAddress)), runtime)
  const allowed = ofClient && (await count(limiters.mails, key("address", identifier), runtime))
  if (!allowed)
    logger.failure(
      new TooManyAttempts(`too many sign-in mails ${ofClient ? "to one address" : "for one client"}: none was sent`, {
        provider: provider.id,
      }),
    )
  return allowed
}
