import * as oauth from "oauth4webapi"
import { OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import type { StoredTokens } from "../../tokens/token-records.js"
import type { ReadyOAuth } from "./prepare.js"
import { sanitizeProviderError } from "./provider-errors.js"
import { requestOptions } from "./token-request.js"
import { trackSecrets } from "./tracked-secrets.js"

/** A token and its `token_type_hint` (RFC 7009 §2.1). */
type TypedToken = readonly [token: string, hint: "refresh_token" | "access_token"]

/** Lists the tokens to revoke. The refresh token is first, because most servers then also revoke its access tokens. */
const listTokens = ({ refreshToken, accessToken }: StoredTokens): TypedToken[] => [
  ...(refreshToken ? [[refreshToken, "refresh_token"] as const] : []),
  ...(accessToken ? [[accessToken, "access_token"] as const] : []),
]

/**
 * Revokes tokens (RFC 7009), if the provider has a revocation endpoint.
 *
 * @throws Error if the provider refuses all of the tokens, or can't be reached
 */
export async function revokeTokens(tokens: StoredTokens, configuredProvider: ReadyOAuth): Promise<void> {
  const { provider, secrets } = trackSecrets(configuredProvider)
  try {
    const as = await provider.metadata.get()
    if (as.revocation_endpoint && !tokens.isRevoked) await revokeFirst(listTokens(tokens), as, provider)
  } catch (error) {
    throw sanitizeProviderError(error, [tokens.refreshToken, tokens.accessToken, ...secrets])
  }
}

/** Sends the tokens one by one until the server revokes one of them. Some servers revoke only access tokens. */
async function revokeFirst(
  tokens: readonly TypedToken[],
  as: oauth.AuthorizationServer,
  provider: ReadyOAuth,
): Promise<void> {
  const { client, clientAuth } = provider
  const fetch = provider.fetchFor(AbortSignal.timeout(OUTBOUND_TIMEOUT_MS))
  let response: Response | undefined
  for (const [token, token_type_hint] of tokens) {
    const additionalParameters = { token_type_hint }
    const options = { ...requestOptions({ provider, fetch }, as.revocation_endpoint), additionalParameters }
    response = await oauth.revocationRequest(as, client, clientAuth, token, options)
    if (response.ok) return
  }
  // The last response is a refusal, so this call throws its error.
  if (response) await oauth.processRevocationResponse(response)
}
