import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://example.kinde.com"

/** @see https://docs.kinde.com/build/tokens/about-id-tokens/ */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/oauth2/auth`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth2/auth`,
      token_endpoint: `${ISSUER}/oauth2/token`,
      userinfo_endpoint: `${ISSUER}/oauth2/v2/user_profile`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    },
  },
  claims: {
    aud: [ISSUER, "the-client"],
    auth_time: 1700000000,
    azp: "the-client",
    email: "jane@example.com",
    family_name: "Doe",
    given_name: "Jane",
    jti: "d9ba8df3-ff71-4e0e-9d5b-1f1b0c2c5c42",
    name: "Jane Doe",
    org_codes: ["org_88f7a3c1d2e"],
    picture: "https://example.com/jane.png",
    sub: "kp_5a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d",
    updated_at: 1700000000,
  },
  token: {
    url: `${ISSUER}/oauth2/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6ImUzOmZpY3RpdGlvdXMifQ",
      expires_in: 86399,
      scope: "openid profile email",
      token_type: "bearer",
    },
  },
  id: "sub",
  user: {
    id: "kp_5a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://example.com/jane.png",
  },
  differs: { checks: "the provider documents the nonce" },
} satisfies ProviderCase
