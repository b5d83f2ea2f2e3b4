import { InvalidProvider } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { ReadyProvider, SignInMethod } from "../methods/method.js"
import type { Runtime } from "../runtime.js"

/**
 * The provider that the path names.
 *
 * @throws InvalidProvider when there is none of this name; the answer does not say which there are
 */
export function requireProvider(call: AuthCall, runtime: Runtime): { method: SignInMethod; provider: ReadyProvider } {
  const found = call.providerId === undefined ? undefined : runtime.providers.get(call.providerId)
  if (found) return found
  throw new InvalidProvider("there is no such provider", {
    provider: call.providerId,
    known: [...runtime.providers.keys()],
  })
}
