import { withTimeout } from "../../base/timeout.js"
import type { CurrentUser, MethodRuntime, Reauthentication } from "../method.js"
import { loadMetadata } from "./logout.js"
import type { ReadyOAuth } from "./prepare.js"

/** A page waits no longer for a provider that does not respond. */
const TIMEOUT_MS = 2_000

/**
 * True if the provider may state when it authenticated the user. Some, such as Google, list their claims without
 * `auth_time`: they can't confirm that the user is present.
 */
async function mayStateTime(provider: ReadyOAuth, runtime: MethodRuntime): Promise<boolean> {
  try {
    const { claims_supported: claims } = await withTimeout(loadMetadata(provider, runtime), TIMEOUT_MS, "too slow")
    return !Array.isArray(claims) || claims.includes("auth_time")
  } catch {
    // The user is told when the provider still can't be reached after the click.
    return true
  }
}

const hasAccount = ({ origin, accountProviders }: CurrentUser, { id }: ReadyOAuth): boolean =>
  origin?.provider === id || accountProviders.includes(id)

/** The provider authenticates the user again (OpenID Connect Core §3.1.2.1). OAuth 2 has no request for that. */
export const reauthentication: Reauthentication<ReadyOAuth> = {
  isPossible: async (user, provider, runtime) =>
    provider.usesIdToken && hasAccount(user, provider) && (await mayStateTime(provider, runtime)),
  amr: ({ trustsAuthenticationContext }) => (trustsAuthenticationContext ? "any" : []),
  params: ({ maxAgeSeconds, acr }, { trustsAuthenticationContext }) => ({
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
    ...(acr !== undefined && trustsAuthenticationContext && { acr_values: acr }),
  }),
}
