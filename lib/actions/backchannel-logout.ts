import { coded } from "../errors/error-codes.js"
import { BadRequest, InvalidProvider } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { LogoutToken } from "../methods/method.js"
import { sha256Base64url } from "../security/tokens.js"
import type { SessionRegistry } from "../sessions/session.js"
import type { Store } from "../store/store.js"
import type { Action } from "./action.js"
import { requireProvider } from "./require-provider.js"

/** The kind of the store records that mark logout tokens as used. */
const KIND = "logout-token"
/** How much longer a record is kept than its token is valid, because the clocks of processes may differ. */
const CLOCK_MARGIN_MS = 60_000

const invalid = (message: string) => coded("logout-token-invalid", new BadRequest(message))

function requireToken({ body, repeatedFields }: AuthCall): string {
  const { logout_token: token } = body
  if (typeof token !== "string" || token === "" || repeatedFields.includes("logout_token"))
    throw invalid("the body must have the field logout_token once")
  return token
}

/**
 * Ends the sessions that a logout token names.
 *
 * @throws BadRequest if the token was already used, in any process
 */
async function endSessions(
  { id, sessions, expires }: LogoutToken,
  {
    provider,
    store,
    registry,
  }: { readonly provider: string; readonly store: Store; readonly registry: SessionRegistry },
): Promise<void> {
  // The id of a token is unique only within its issuer, so the key also contains the provider.
  const key = sha256Base64url(JSON.stringify([provider, id]))
  const isUsed = (await store.get(KIND, key)) !== null
  if (!isUsed) await registry.endAll(sessions)
  // The token is marked as used after the sessions have ended: if the store fails, the provider can send it again.
  const record = { value: "", expires: new Date(expires.getTime() + CLOCK_MARGIN_MS), ifVersion: null }
  if (isUsed || (await store.set(KIND, key, record)) === null) throw invalid("the logout token was already used")
}

/**
 * Ends sessions at the request of their provider (OpenID Connect Back-Channel Logout 1.0 §2.5). The request comes from
 * the provider's server, without a CSRF token and cookies. The signature of the logout token authenticates the request.
 */
export const backchannelLogout: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { store, sessions } = runtime
  const { registry } = sessions
  const { readLogoutToken } = method
  if (!store || !registry || !readLogoutToken || !method.needs.sendsLogoutTokens?.(provider))
    throw new InvalidProvider("this provider can't end sessions", {
      provider: provider.id,
      hint: "back-channel logout requires an OpenID Connect provider and the option store",
    })
  return {
    POST: {
      guards: undefined,
      async handle(call) {
        const token = await readLogoutToken(requireToken(call), provider, runtime)
        await endSessions(token, { provider: provider.id, store, registry })
        return { status: 200, cookies: [] }
      },
    },
  }
}
