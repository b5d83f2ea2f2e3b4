import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://hydra.example.com"

/** @see https://www.ory.com/docs/oauth2-oidc/openid-connect-claims-scope-custom */
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
      userinfo_endpoint: `${ISSUER}/userinfo`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    },
  },
  claims: {
    aud: ["the-client"],
    auth_time: 1700000000,
    rat: 1700000000,
    jti: "7c9a51e9-6e4c-4f8e-9c1d-0f7f2f3a1b2c",
    sid: "b8a4b6cf-9f1e-4b3a-8d1f-4e6c2a9d0f71",
    sub: "foo@bar.com",
    name: "Foo Bar",
    email: "foo@bar.com",
    email_verified: true,
  },
  token: {
    url: `${ISSUER}/oauth2/token`,
    answer: {
      access_token: "ory_at_yXKCmuuGpEVmYuBp1eyMnX2oCzlHx3JZ",
      expires_in: 3599,
      scope: "openid profile email",
      token_type: "bearer",
    },
  },
  id: "sub",
  user: { id: "foo@bar.com", name: "Foo Bar", email: "foo@bar.com", image: null },
} satisfies ProviderCase
