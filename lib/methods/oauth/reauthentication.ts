import { withTimeout } from "../../base/timeout.js"
import type { CurrentUser, MethodRuntime, Reauthentication } from "../method.js"
import { loadMetadata } from "./logout.js"
import type { ReadyOAuth } from "./prepare.js"

/** How long a page waits for the metadata of a provider, in milliseconds. */
const TIMEOUT_MS = 2_000

/**
 * Returns false if the metadata lists the provider's claims without `auth_time`, as Google's does. Then an id_token
 * does not state when the user was authenticated, so a re-authentication can't be proved. Returns true if the list is
 * missing or can't be loaded.
 */
async function mayStateTime(provider: ReadyOAuth, runtime: MethodRuntime): Promise<boolean> {
  try {
    const { claims_supported: claims } = await withTimeout(loadMetadata(provider, runtime), TIMEOUT_MS, "too slow")
    return !Array.isArray(claims) || claims.includes("auth_time")
  } catch {
    // If the provider still can't be reached when the user selects it, the start of the re-authentication reports it.
    return true
  }
}

/** True if the user has an account at this provider, or opened the session with it. */
const hasAccount = ({ authentication, accountProviders }: CurrentUser, { id }: ReadyOAuth): boolean =>
  authentication?.provider === id || accountProviders.includes(id)

/**
 * Re-authentication by the provider (OpenID Connect Core §3.1.2.1). Plain OAuth has no parameter that requests a
 * re-authentication, so this is possible only with OpenID Connect.
 */
export const reauthentication: Reauthentication<ReadyOAuth> = {
  isPossible: async (user, provider, runtime) =>
    provider.usesIdToken && hasAccount(user, provider) && (await mayStateTime(provider, runtime)),
  amr: ({ trustsAuthenticationContext }) => (trustsAuthenticationContext ? "any" : []),
  params: ({ maxAgeSeconds, acr }, { trustsAuthenticationContext }) => ({
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
    ...(acr !== undefined && trustsAuthenticationContext && { acr_values: acr }),
  }),
}
