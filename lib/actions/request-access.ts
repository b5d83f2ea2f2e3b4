import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { AuthorizationRequest } from "../methods/method.js"
import type { ActionRuntime } from "./action.js"
import { runRoute } from "./dispatch.js"
import { requireProvider } from "./require-provider.js"

/**
 * Redirects the user to a provider where the user already has an account, so that the user grants the application more
 * access, or grants it access again.
 *
 * No CSRF token is needed, because a route of the application starts the redirect. The provider's callback also refuses
 * every account except `request.accountId`.
 */
export function requestAccess(request: AuthorizationRequest, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const handle = async (guarded: AuthCall): Promise<Reply> => {
    const { method, provider } = requireProvider(guarded, runtime)
    if (!method.start) throw new TypeError(`the provider ${provider.id} has no page to grant access`)
    return method.start(guarded, provider, runtime, request)
  }
  return runRoute(() => ({ guards: undefined, handle }), call, runtime)
}
