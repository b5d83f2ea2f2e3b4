import type { ProviderCase } from "../support/catalogue.js"

/** @see https://pocket-id.org/docs */
export default {
  options: { issuer: "https://id.example.com" },
  start: { url: "https://id.example.com/authorize", params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://id.example.com/.well-known/openid-configuration",
    document: {
      issuer: "https://id.example.com",
      authorization_endpoint: "https://id.example.com/authorize",
      token_endpoint: "https://id.example.com/api/oidc/token",
      userinfo_endpoint: "https://id.example.com/api/oidc/userinfo",
      end_session_endpoint: "https://id.example.com/api/oidc/end-session",
      jwks_uri: "https://id.example.com/.well-known/jwks.json",
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ["plain", "S256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    },
  },
  claims: {
    sub: "f4b89dc2-62fb-46bf-9f5f-c34f4eafe93e",
    aud: ["the-client"],
    type: "id-token",
    auth_time: 1735815600,
    amr: ["phr"],
    given_name: "Tim",
    family_name: "Cook",
    name: "Tim Cook",
    display_name: "Tim Cook",
    preferred_username: "tim",
    picture: "https://id.example.com/api/users/f4b89dc2-62fb-46bf-9f5f-c34f4eafe93e/profile-picture.png",
    email: "tim.cook@example.com",
    email_verified: true,
  },
  token: {
    url: "https://id.example.com/api/oidc/token",
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiJ9.at",
      token_type: "bearer",
      expires_in: 3600,
      scope: "openid profile email",
    },
  },
  id: "sub",
  user: {
    id: "f4b89dc2-62fb-46bf-9f5f-c34f4eafe93e",
    name: "Tim Cook",
    email: "tim.cook@example.com",
    image: "https://id.example.com/api/users/f4b89dc2-62fb-46bf-9f5f-c34f4eafe93e/profile-picture.png",
  },
} satisfies ProviderCase
