import { InvalidProvider } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { ReadyProvider, SignInMethod } from "../methods/method.js"
import type { ActionRuntime } from "./action.js"

/**
 * Finds the provider that the path names.
 *
 * @throws InvalidProvider if the provider is unknown. The known ids are logged but not sent to the client.
 */
export function requireProvider(
  call: AuthCall,
  runtime: ActionRuntime,
): { method: SignInMethod; provider: ReadyProvider } {
  const found = call.providerId === undefined ? undefined : runtime.providers.get(call.providerId)
  if (found) return found
  throw new InvalidProvider("unknown provider", {
    provider: call.providerId,
    known: [...runtime.providers.keys()],
  })
}
