import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://my-app.withpassage.com"

/** @see https://docs.passage.id/hosted-login/oidc-client-configuration */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      userinfo_endpoint: `${ISSUER}/userinfo`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    },
  },
  claims: {
    aud: ["the-client"],
    azp: "the-client",
    client_id: "the-client",
    sub: "9DeEXvYBStnzwQcHFd6f558L",
    auth_time: 1700000000,
    email: "user@example.com",
    email_verified: true,
    phone: "+14155552671",
    phone_number_verified: true,
  },
  token: {
    url: `${ISSUER}/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6InBhc3NhZ2UifQ",
      token_type: "bearer",
      expires_in: 3600,
      scope: "openid email",
    },
  },
  id: "sub",
  user: { id: "9DeEXvYBStnzwQcHFd6f558L", name: null, email: "user@example.com", image: null },
  warnings: ["provider-closed"],
  differs: { user: "contains null instead of undefined as name and picture" },
} satisfies ProviderCase
