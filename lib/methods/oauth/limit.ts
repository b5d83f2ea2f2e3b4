import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import type { ReadyOAuth } from "./prepare.js"

/**
 * Counts the start of a sign-in. Clients without a known address are not counted: a start guesses nothing and sends
 * nothing, so a delay of all of them would protect no user.
 *
 * @throws TooManyAttempts when the limit is reached
 */
export async function limitStarts(
  { clientAddress }: AuthCall,
  { id }: Pick<ReadyOAuth, "id">,
  { limits }: Runtime,
): Promise<void> {
  if (!limits || !clientAddress) return
  const wait = await limits.count("oauthSignInsPerClient", addressBucket(clientAddress))
  if (wait !== undefined) throw limitReached("oauthSignInsPerClient", wait, { provider: id })
}
