import type { ProviderCase } from "../support/catalogue.js"

const PROJECT = "https://abcdefghijklmnopqrst.supabase.co/auth/v1"

/** @see https://supabase.com/docs/guides/auth/oauth-server/oauth-flows */
export default {
  options: { issuer: PROJECT },
  start: { url: `${PROJECT}/oauth/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${PROJECT}/.well-known/openid-configuration`,
    document: {
      issuer: PROJECT,
      authorization_endpoint: `${PROJECT}/oauth/authorize`,
      token_endpoint: `${PROJECT}/oauth/token`,
      userinfo_endpoint: `${PROJECT}/oauth/userinfo`,
      jwks_uri: `${PROJECT}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ["RS256", "HS256", "ES256"],
    },
  },
  idTokenAlg: "ES256",
  claims: {
    sub: "8ccaa7af-909f-44e7-84cb-67cdccb56be6",
    auth_time: 1735815600,
    email: "user@example.com",
    email_verified: true,
    phone_number: "+1234567890",
    phone_number_verified: false,
    name: "John Doe",
    picture: "https://example.com/avatar.jpg",
  },
  token: {
    url: `${PROJECT}/oauth/token`,
    answer: {
      access_token: "eyJhbGciOiJFUzI1NiJ9.at",
      token_type: "bearer",
      expires_in: 3600,
      refresh_token: "MXff",
      scope: "openid email profile",
    },
  },
  id: "sub",
  user: {
    id: "8ccaa7af-909f-44e7-84cb-67cdccb56be6",
    name: "John Doe",
    email: "user@example.com",
    image: "https://example.com/avatar.jpg",
  },
} satisfies ProviderCase
