import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://authentik.company/application/o/my-app/"

/** @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/ */
export default {
  options: { issuer: ISSUER },
  start: {
    url: "https://authentik.company/application/o/authorize/",
    params: { scope: "openid profile email" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: "https://authentik.company/application/o/authorize/",
      token_endpoint: "https://authentik.company/application/o/token/",
      userinfo_endpoint: "https://authentik.company/application/o/userinfo/",
      jwks_uri: `${ISSUER}jwks/`,
    },
  },
  claims: {
    sub: "7d9f2c1b8f5e4d3aa1c0d2b4e6f80912",
    acr: "goauthentik.io/providers/oauth2/default",
    amr: ["pwd"],
    sid: "ba7816bf8f01cfea414140de5dae2223",
    email: "jens@authentik.company",
    email_verified: false,
    name: "Jens Langhammer",
    given_name: "Jens Langhammer",
    preferred_username: "jens",
    nickname: "jens",
    groups: ["authentik Admins"],
  },
  token: {
    url: "https://authentik.company/application/o/token/",
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6ImZpY3RpdGlvdXMi",
      token_type: "Bearer",
      scope: "openid profile email",
      expires_in: 300,
    },
  },
  id: "sub",
  user: {
    id: "7d9f2c1b8f5e4d3aa1c0d2b4e6f80912",
    name: "Jens Langhammer",
    email: "jens@authentik.company",
    image: null,
  },
} satisfies ProviderCase
