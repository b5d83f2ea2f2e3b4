import { coded } from "../errors/error-codes.js"
import { BadRequest, InvalidProvider } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { LogoutToken } from "../methods/method.js"
import { sha256Base64url } from "../security/tokens.js"
import type { SessionRegistry } from "../sessions/session.js"
import type { Store } from "../store/store.js"
import type { Action } from "./action.js"
import { requireProvider } from "./require-provider.js"

/** The store's records of the tokens that were used. */
const KIND = "logout-token"
/** The clocks of processes may differ by this much. */
const CLOCK_MARGIN_MS = 60_000

const invalid = (message: string) => coded("logout-token-invalid", new BadRequest(message))

function requireToken({ body, repeatedFields }: AuthCall): string {
  const { logout_token: token } = body
  if (typeof token !== "string" || token === "" || repeatedFields.includes("logout_token"))
    throw invalid("the body must have the field logout_token once")
  return token
}

/** Ends the sessions that a provider's token names. It has an effect only once, in all processes. */
async function endSessions(
  { id, sessions, expires }: LogoutToken,
  {
    provider,
    store,
    registry,
  }: { readonly provider: string; readonly store: Store; readonly registry: SessionRegistry },
): Promise<void> {
  // Several providers of the application may have the same issuer.
  const key = sha256Base64url(JSON.stringify([provider, id]))
  const isUsed = (await store.get(KIND, key)) !== null
  if (!isUsed) await registry.endAll(sessions)
  // It is marked as used only now: if the store fails, the provider's next attempt must end the sessions.
  const record = { value: "", expires: new Date(expires.getTime() + CLOCK_MARGIN_MS), ifVersion: null }
  if (isUsed || (await store.set(KIND, key, record)) === null) throw invalid("the logout token was already used")
}

/**
 * Ends sessions at the request of their provider (OpenID Connect Back-Channel Logout 1.0 §2.5). The request comes from
 * the provider's server, so there is no CSRF token and no cookie: the token's signature authenticates it.
 */
export const backchannelLogout: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { store, sessions } = runtime
  const { registry } = sessions
  const { readLogoutToken } = method
  if (!store || !registry || !readLogoutToken || !method.needs.sendsLogoutTokens?.(provider))
    throw new InvalidProvider("this provider can't end sessions", {
      provider: provider.id,
      hint: "the provider must be one of OpenID Connect, and the application needs a store",
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
