import type { AuthCall } from "../../http/call.js"
import { limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import type { MethodRuntime } from "../method.js"
import type { ReadyOAuth } from "./prepare.js"

/**
 * Counts the start of a sign-in. Clients without a known address are not counted. They would share one limit, which
 * would protect no user: starting a sign-in guesses no secret and sends no email.
 *
 * @throws TooManyAttempts if the limit is reached
 */
export async function limitStarts(
  { clientAddress }: AuthCall,
  { id }: Pick<ReadyOAuth, "id">,
  { limits }: MethodRuntime,
): Promise<void> {
  if (!limits || !clientAddress) return
  const retryAfterMs = await limits.count("oauthSignInsPerClient", addressBucket(clientAddress))
  if (retryAfterMs !== undefined) throw limitReached("oauthSignInsPerClient", retryAfterMs, { provider: id })
}
