import type { ProviderCase } from "../support/catalogue.js"

const ISSUER =
  "https://auth-us.beyondidentity.com/v1/tenants/000183a77dd50fa9/realms/caf6dd5d96fe2a4f/applications/9c1d"

/** @see https://developer.beyondidentity.com/ */
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
    sub: "1262ab79e3b4d6a5",
    name: "Foo Bar",
    preferred_username: "foo.bar",
    email: "foo.bar@example.com",
  },
  token: {
    url: `${ISSUER}/token`,
    answer: { access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9", token_type: "Bearer", expires_in: 86400 },
  },
  id: "sub",
  user: { id: "1262ab79e3b4d6a5", name: "Foo Bar", email: "foo.bar@example.com", image: null },
  differs: {
    user: "does not contain `preferred_username`, which is only in the profile",
  },
} satisfies ProviderCase
