import { json, type ProviderResponse } from "./response.js"
import type { ProviderRequest, ProviderState } from "./state.js"

/** OpenID Connect Core §5.3, with the token in the header (RFC 6750 §2.1). */
export function userinfo({ headers }: ProviderRequest, { accessTokens }: ProviderState): ProviderResponse {
  const [, token] = /^Bearer ([\w-]+)$/i.exec(headers["authorization"] ?? "") ?? []
  const grant = accessTokens.find(token)
  if (grant && !grant.isRevoked) return json({ ...grant.claims, sub: grant.sub })
  const error = "invalid_token"
  return json({ error }, 401, { "www-authenticate": `Bearer error="${error}"` })
}
