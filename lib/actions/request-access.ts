import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { AuthorizationRequest } from "../methods/method.js"
import type { ActionRuntime } from "./action.js"
import { runRoute } from "./dispatch.js"
import { requireProvider } from "./require-provider.js"

/**
 * Sends the browser to a provider at which the user already has an account, to grant more access or to renew it. The
 * application's own route decides this, so no form with a CSRF token is needed: another account would be refused.
 */
export function requestAccess(request: AuthorizationRequest, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const handle = async (guarded: AuthCall): Promise<Reply> => {
    const { method, provider } = requireProvider(guarded, runtime)
    if (!method.start) throw new TypeError(`the provider ${provider.id} has no page to grant access`)
    return method.start(guarded, provider, runtime, request)
  }
  return runRoute(() => ({ guards: undefined, handle }), call, runtime)
}
