import { InvalidProvider } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { json, type Reply } from "../http/reply.js"
import { formatChallenge } from "../sessions/challenge.js"
import type { Action, ActionRuntime } from "./action.js"
import { RECENT_AUTHENTICATION, requireRecentAuthentication } from "./reauthentication.js"
import { requireProvider } from "./require-provider.js"

/**
 * Returns a 401 reply if the current user must re-authenticate before registering a passkey. The script of the page
 * navigates to `url`, and adds the address of the page as the return URL.
 */
async function refuseRegistration(call: AuthCall, runtime: ActionRuntime): Promise<Reply | undefined> {
  if ((await runtime.sessions.currentUserId(call)) === undefined) return undefined
  const refused = await requireRecentAuthentication(call, runtime, { callbackUrl: call.callbackUrl })
  const headers = { "WWW-Authenticate": formatChallenge(RECENT_AUTHENTICATION, ["maxAgeSeconds"]) }
  return refused && { ...json({ url: refused.location }, [], 401), headers }
}

/** GET returns the options for `navigator.credentials` as JSON. */
export const webauthnOptions: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { options } = method
  if (!options) throw new InvalidProvider("the provider does not support passkeys", { provider: provider.id })
  return {
    GET: {
      guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true },
      async handle(guardedCall): Promise<Reply> {
        // HEAD must not start a ceremony.
        if (guardedCall.method === "HEAD") return { status: 200, cookies: [] }
        const refused =
          guardedCall.query["action"] === "register" ? await refuseRegistration(guardedCall, runtime) : undefined
        return refused ?? options(guardedCall, provider, runtime)
      },
    },
  }
}
