import type { ProviderCase } from "../support/catalogue.js"

const FRONTEND_API = "https://well-hagfish-71.clerk.accounts.dev"

/** @see https://clerk.com/docs/guides/configure/auth-strategies/oauth/how-clerk-implements-oauth */
export default {
  options: { issuer: FRONTEND_API },
  start: { url: `${FRONTEND_API}/oauth/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${FRONTEND_API}/.well-known/openid-configuration`,
    document: {
      issuer: FRONTEND_API,
      authorization_endpoint: `${FRONTEND_API}/oauth/authorize`,
      token_endpoint: `${FRONTEND_API}/oauth/token`,
      userinfo_endpoint: `${FRONTEND_API}/oauth/userinfo`,
      jwks_uri: `${FRONTEND_API}/.well-known/jwks.json`,
      response_types_supported: ["code"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    },
  },
  claims: {
    sub: "user_29w83sxmDNGwOuEthce5gg56FcC",
    jti: "6f2f9a1c0b7d4e58",
    name: "Jane Doe",
    given_name: "Jane",
    family_name: "Doe",
    preferred_username: "jane",
    picture: "https://img.clerk.com/eyJ0eXBlIjoiZGVmYXVsdCJ9",
    email: "jane@example.com",
    email_verified: true,
  },
  token: {
    url: `${FRONTEND_API}/oauth/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiJ9.at",
      token_type: "Bearer",
      expires_in: 86400,
      refresh_token: "rt",
      scope: "openid profile email",
    },
  },
  id: "sub",
  user: {
    id: "user_29w83sxmDNGwOuEthce5gg56FcC",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://img.clerk.com/eyJ0eXBlIjoiZGVmYXVsdCJ9",
  },
} satisfies ProviderCase
