import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://my-instance-abcd.zitadel.cloud"

/** @see https://zitadel.com/docs/apis/openidoauth/claims */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/oauth/v2/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/v2/authorize`,
      token_endpoint: `${ISSUER}/oauth/v2/token`,
      userinfo_endpoint: `${ISSUER}/oidc/v1/userinfo`,
      jwks_uri: `${ISSUER}/oauth/v2/keys`,
    },
  },
  claims: {
    sub: "170848145649959169",
    aud: ["the-client", "209806276543185153@portal", "170086774599581953"],
    azp: "the-client",
    client_id: "the-client",
    auth_time: 1700000000,
    amr: ["password", "pwd", "mfa", "otp"],
  },
  token: {
    url: `${ISSUER}/oauth/v2/token`,
    answer: {
      access_token: "MtjHodGy4zxKylDOhg6kW90WeEQs2q",
      expires_in: 43199,
      token_type: "Bearer",
    },
  },
  api: {
    [`GET ${ISSUER}/oidc/v1/userinfo`]: {
      body: {
        sub: "170848145649959169",
        name: "Road Runner",
        given_name: "Road",
        family_name: "Runner",
        locale: null,
        updated_at: 1658329554,
        preferred_username: "road.runner@my-instance-abcd.zitadel.cloud",
        email: "road.runner@zitadel.com",
        email_verified: true,
        "urn:zitadel:iam:user:metadata": { ContractNumber: "MTIzNA" },
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: "170848145649959169", name: "Road Runner", email: "road.runner@zitadel.com", image: null },
  differs: {
    idToken: "userinfo is used, since the id_token has no name or address by default",
  },
} satisfies ProviderCase
