import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://auth.unitedeffects.com/YQpbQV5dbW-224dCovz-3"

/** @see https://docs.unitedeffects.com/integrations/nextauthjs */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/auth`, params: { scope: "openid email profile", resource: ISSUER } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/auth`,
      token_endpoint: `${ISSUER}/token`,
      userinfo_endpoint: `${ISSUER}/me`,
      jwks_uri: `${ISSUER}/jwks`,
    },
  },
  claims: { sub: "6a1f0c9e-2b3d-4c5e-8f6a-7b8c9d0e1f2a", email: "jane@example.com" },
  token: {
    url: `${ISSUER}/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6InVlIn0",
      expires_in: 3600,
      scope: "openid email profile",
      token_type: "Bearer",
    },
  },
  id: "sub",
  user: { id: "6a1f0c9e-2b3d-4c5e-8f6a-7b8c9d0e1f2a", name: null, email: "jane@example.com", image: null },
  differs: { user: "contains null instead of undefined as name and picture" },
} satisfies ProviderCase
