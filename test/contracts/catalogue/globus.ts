import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.globus.org/api/auth/reference/ */
export default {
  start: { url: "https://auth.globus.org/v2/oauth2/authorize", params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://auth.globus.org/.well-known/openid-configuration",
    document: {
      issuer: "https://auth.globus.org",
      authorization_endpoint: "https://auth.globus.org/v2/oauth2/authorize",
      userinfo_endpoint: "https://auth.globus.org/v2/oauth2/userinfo",
      token_endpoint: "https://auth.globus.org/v2/oauth2/token",
      revocation_endpoint: "https://auth.globus.org/v2/oauth2/token/revoke",
      jwks_uri: "https://auth.globus.org/jwk.json",
      scopes_supported: ["openid", "email", "profile"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
    },
  },
  claims: {
    sub: "2982f207-04c0-11e5-ac60-22000b92c6ec",
    preferred_username: "ada@example.edu",
    name: "Ada Lovelace",
    email: "ada@example.edu",
    identity_provider: "41143743-f3c8-4d60-bbdb-eeecaba85bd9",
    identity_provider_display_name: "Example University",
    organization: "Example University",
    last_authentication: 1735815600,
  },
  token: {
    url: "https://auth.globus.org/v2/oauth2/token",
    answer: {
      access_token: "AgPv1nBw0pXG",
      scope: "openid profile email",
      state: "provided_by_client_to_prevent_replay_attacks",
      expires_in: 172800,
      token_type: "Bearer",
      resource_server: "auth.globus.org",
      other_tokens: [],
    },
  },
  id: "sub",
  user: {
    id: "2982f207-04c0-11e5-ac60-22000b92c6ec",
    name: "Ada Lovelace",
    email: "ada@example.edu",
    image: null,
  },
} satisfies ProviderCase
