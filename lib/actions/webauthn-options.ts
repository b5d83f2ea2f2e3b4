import { InvalidProvider } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { json, type Reply } from "../http/reply.js"
import { formatChallenge } from "../sessions/challenge.js"
import type { Action, ActionRuntime } from "./action.js"
import { RECENT, requireRecentAuthentication } from "./reauthentication.js"
import { requireProvider } from "./require-provider.js"

/**
 * Refuses a new passkey for a current user who was not authenticated recently. The page's script navigates to the URL,
 * and adds its own address as the return URL.
 */
async function refuseRegistration(call: AuthCall, runtime: ActionRuntime): Promise<Reply | undefined> {
  if ((await runtime.sessions.currentUserId(call)) === undefined) return undefined
  const refused = await requireRecentAuthentication(call, runtime, { callbackUrl: call.callbackUrl })
  const headers = { "WWW-Authenticate": formatChallenge(RECENT, ["maxAgeSeconds"]) }
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
      async handle(admitted): Promise<Reply> {
        // HEAD must not start a ceremony.
        if (admitted.method === "HEAD") return { status: 200, cookies: [] }
        const refused =
          admitted.query["action"] === "register" ? await refuseRegistration(admitted, runtime) : undefined
        return refused ?? options(admitted, provider, runtime)
      },
    },
  }
}
