import { coded } from "../../error-codes.js"
import { AuthError, asError, TooManyAttempts } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { addressBucket, type RateLimiter, waitOf } from "../../security/rate-limit.js"
import { sha256Base64url } from "../../security/tokens.js"
import { withTimeout } from "../../timeout.js"
import type { ReadyEmail } from "./prepare.js"

/** A person waits for it, and for the mail afterwards. */
const COUNT_TIMEOUT_MS = 1_000

/** Counts one mail; false when there were too many. A failing counter of the application's is no reason to refuse. */
async function count(limiter: RateLimiter, key: string, { logger }: Runtime): Promise<boolean> {
  try {
    const counted = Promise.resolve(limiter.consume(key))
    await withTimeout(counted, COUNT_TIMEOUT_MS, `no answer within ${COUNT_TIMEOUT_MS / 1000} s`)
    return true
  } catch (rejection) {
    if (waitOf(rejection) !== undefined) return false
    logger.error(
      coded(
        "rate-limiter-failed",
        new AuthError("the rate limiter failed, and the mail was sent uncounted", { err: asError(rejection) }),
      ),
    )
    return true
  }
}

/**
 * Whose mailbox an address is of, for counting: many services deliver to the same one whatever stands behind a "+" and
 * wherever there are dots.
 */
function mailboxOf(identifier: string): string {
  const at = identifier.lastIndexOf("@")
  // Of the application's own making.
  if (at < 0) return identifier
  const [local = ""] = identifier.slice(0, at).split(/(?<=.)\+/, 1)
  return `${local.replaceAll(".", "")}${identifier.slice(at)}`
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
  // Where nobody knows the client, all of them would be one.
  const client = call.clientAddress && addressBucket(call.clientAddress)
  const ofClient = !client || (await count(limiters.mailsOfClient, key("client", client), runtime))
  const allowed = ofClient && (await count(limiters.mails, key("address", mailboxOf(identifier)), runtime))
  if (!allowed)
    logger.failure(
      new TooManyAttempts(`too many sign-in mails ${ofClient ? "to one address" : "for one client"}: none was sent`, {
        provider: provider.id,
      }),
    )
  return allowed
}
