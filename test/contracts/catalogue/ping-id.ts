import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://auth.pingone.com/abfba8f6-49eb-49f5-a5d9-80ad5c98f9f6/as"

/** @see https://developer.pingidentity.com/pingone-api/auth/openid-connect-oauth-2/discovery-openid-configuration.html */
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
      jwks_uri: `${ISSUER}/jwks`,
    },
  },
  claims: {
    sub: "8376cd4a-7b1f-4f5a-9c0b-2d1e3f4a5b6c",
    acr: "Single_Factor",
    amr: ["pwd"],
    auth_time: 1700000000,
    sid: "0f7c2a9e-1b3d-4c5e-8f6a-7b8c9d0e1f2a",
    preferred_username: "jane",
    given_name: "Jane",
    family_name: "Doe",
    name: "Jane Doe",
    email: "jane@example.com",
    picture: "https://example.com/jane.png",
    updated_at: 1700000000,
    env: "abfba8f6-49eb-49f5-a5d9-80ad5c98f9f6",
    org: "9ad15e9e-3ac6-43f7-a053-d46b87d6c4a7",
    "p1.region": "NA",
  },
  token: {
    url: `${ISSUER}/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6ImRlZmF1bHQifQ",
      token_type: "Bearer",
      expires_in: 3600,
      scope: "openid profile email",
    },
  },
  id: "sub",
  user: {
    id: "8376cd4a-7b1f-4f5a-9c0b-2d1e3f4a5b6c",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://example.com/jane.png",
  },
} satisfies ProviderCase
