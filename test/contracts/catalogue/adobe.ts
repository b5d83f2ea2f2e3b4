import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://ims-na1.adobelogin.com"
const SUB = "B0DC108C5CD449CA0A494133@c62f24cc5b5b7e0e0a494004"

/** @see https://developer.adobe.com/developer-console/docs/guides/authentication/UserAuthentication/ims */
export default {
  start: { url: `${ISSUER}/ims/authorize/v2`, params: { scope: "openid,profile,email" } },
  checks: ["pkce", "state"],
  discovery: {
    url: `${ISSUER}/ims/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/ims/authorize/v2`,
      token_endpoint: `${ISSUER}/ims/token/v3`,
      userinfo_endpoint: `${ISSUER}/ims/userinfo/v2`,
      revocation_endpoint: `${ISSUER}/ims/revoke`,
      jwks_uri: `${ISSUER}/ims/keys`,
      response_types_supported: ["code", "token", "id_token", "id_token token", "code id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid", "email", "profile"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      grant_types_supported: ["authorization_code", "implicit_grant", "refresh_token"],
    },
  },
  claims: { sub: SUB },
  token: {
    url: `${ISSUER}/ims/token/v3`,
    auth: "post",
    answer: {
      access_token: "eyJhbGciOi.adobe.example",
      refresh_token: "eyJhbGciOi.adobe.refresh",
      sub: SUB,
      token_type: "bearer",
      expires_in: 86399,
    },
  },
  api: {
    [`GET ${ISSUER}/ims/userinfo/v2`]: {
      body: {
        sub: SUB,
        account_type: "ent",
        email_verified: "true",
        address: { country: "US" },
        name: "John Sample",
        given_name: "John",
        family_name: "Sample",
        email: "jsample@email.com",
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: SUB, name: "John Sample", email: "jsample@email.com", image: null },
  also: [{ profile: { sub: "1", given_name: "John", family_name: "Sample" }, user: { name: "John Sample" } }],
} satisfies ProviderCase
