import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://my-tenant.logto.app/oidc"

/** @see https://docs.logto.io/developers/custom-id-token */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/auth`, params: { scope: "offline_access openid email profile" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/auth`,
      token_endpoint: `${ISSUER}/token`,
      userinfo_endpoint: `${ISSUER}/me`,
      // A tenant may also sign with EC keys.
      id_token_signing_alg_values_supported: ["RS256"],
      jwks_uri: `${ISSUER}/jwks`,
      authorization_response_iss_parameter_supported: true,
    },
  },
  claims: {
    sub: "i4qbvg5mrxqk",
    name: null,
    picture: "https://example.com/silverhand.png",
    username: "silverhand",
    created_at: 1700000000000,
    updated_at: 1700000000000,
    email: "silverhand@example.com",
    email_verified: true,
  },
  token: {
    url: `${ISSUER}/token`,
    answer: {
      access_token: "jB1WUO9gUv1zYzTtaeO2UJ8fHn_XYqz8DBQcTYmqRbW",
      expires_in: 3600,
      refresh_token: "bVqrCpvV8sLwqYQk0bQ5xVfUe6t5lT3X",
      scope: "openid offline_access email profile",
      token_type: "Bearer",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "grant request is invalid" } },
  },
  id: "sub",
  user: {
    id: "i4qbvg5mrxqk",
    name: "silverhand",
    email: "silverhand@example.com",
    image: "https://example.com/silverhand.png",
  },
  also: [{ profile: { sub: "1", name: "Silver Hand", username: "silverhand" }, user: { name: "Silver Hand" } }],
} satisfies ProviderCase
