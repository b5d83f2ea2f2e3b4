import type { AuthCall } from "../../http/call.js"
import { limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import type { MethodRuntime } from "../method.js"
import type { Ceremony } from "./challenge.js"

/**
 * Counts the sign-up of a new user per client, and per email address and client, so that another client cannot use up
 * the owner's limit.
 *
 * @throws TooManyAttempts if a limit is reached
 */
export async function limitSignUps(
  { user, provider }: Ceremony,
  call: AuthCall,
  { limits }: MethodRuntime,
): Promise<void> {
  if (!user || !limits) return
  const { clientAddress } = call
  const perClient = await limits.countClient("passkeySignUpsPerClient", clientAddress)
  if (perClient !== undefined) throw limitReached("passkeySignUpsPerClient", perClient, { provider })
  const subject = [addressBucket(clientAddress), String(user.email ?? "")] as const
  const perAddress = await limits.count("passkeySignUpsPerAddress", ...subject)
  if (perAddress !== undefined) throw limitReached("passkeySignUpsPerAddress", perAddress, { provider })
}
