import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://api.asgardeo.io/t/bifrost/oauth2/token"

/** @see https://wso2.com/asgardeo/docs/guides/authentication/oidc/validate-id-tokens/ */
export default {
  options: { issuer: ISSUER },
  start: {
    url: "https://api.asgardeo.io/t/bifrost/oauth2/authorize",
    params: { scope: "openid profile email" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: "https://api.asgardeo.io/t/bifrost/oauth2/authorize",
      token_endpoint: "https://api.asgardeo.io/t/bifrost/oauth2/token",
      userinfo_endpoint: "https://api.asgardeo.io/t/bifrost/oauth2/userinfo",
      jwks_uri: "https://api.asgardeo.io/t/bifrost/oauth2/jwks",
    },
  },
  claims: {
    isk: "7b8bfe9f4ed1396eb777b0c6d8e111af6e0c18b416074c6ee8ca3f424fcc6c66",
    sub: "3b7cbde5-bfc7-474a-b79e-4d9e03c4c55f",
    amr: ["BasicAuthenticator"],
    sid: "de96a883-9baf-409e-9711-eaa7ca841f51",
    azp: "the-client",
    org_id: "332080fd-338e-4269-88e4-a565c98d74cb",
    org_name: "bifrost",
    name: "Alice Cooper",
    given_name: "Alice",
    family_name: "Cooper",
    email: "alice@bifrost.com",
    email_verified: true,
    picture: "https://bifrost.com/alice.png",
  },
  token: {
    url: "https://api.asgardeo.io/t/bifrost/oauth2/token",
    answer: {
      access_token: "eyJ4NXQiOiJZemM1T1Rnd1pURTNNV1F6TVdFek5ERm1OelZoTTJO",
      scope: "email openid profile",
      token_type: "Bearer",
      expires_in: 3600,
    },
  },
  id: "sub",
  user: {
    id: "3b7cbde5-bfc7-474a-b79e-4d9e03c4c55f",
    name: "Alice Cooper",
    email: "alice@bifrost.com",
    image: "https://bifrost.com/alice.png",
  },
  differs: {
    wellKnown: "the standard path below the issuer",
  },
} satisfies ProviderCase
