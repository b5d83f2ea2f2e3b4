import type { ProviderCase } from "../support/catalogue.js"

/** @see https://github.com/ORCID/ORCID-Source/blob/main/orcid-web/ORCID_AUTH_WITH_OPENID_CONNECT.md */
export default {
  start: { url: "https://orcid.org/oauth/authorize", params: { scope: "openid" } },
  checks: ["state", "nonce"],
  discovery: {
    url: "https://orcid.org/.well-known/openid-configuration",
    document: {
      issuer: "https://orcid.org",
      authorization_endpoint: "https://orcid.org/oauth/authorize",
      token_endpoint: "https://orcid.org/oauth/token",
      userinfo_endpoint: "https://orcid.org/oauth/userinfo",
      jwks_uri: "https://orcid.org/oauth/jwks",
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: {
    sub: "0000-0002-2601-8132",
    auth_time: 1_601_920_037,
    amr: "pwd",
    jti: "eaa4d563-be63-47ee-8976-dc7cc3b7be61",
  },
  token: {
    url: "https://orcid.org/oauth/token",
    auth: "post",
    answer: {
      access_token: "aa4629f3-b0a2-4edd-b77a-398d7afe3c90",
      token_type: "bearer",
      refresh_token: "5a712062-0068-47b9-922e-f26a2c5cb250",
      expires_in: 631_138_518,
      scope: "openid",
      name: "Name",
      orcid: "0000-0002-2601-8132",
    },
  },
  api: {
    "GET https://orcid.org/oauth/userinfo": {
      body: { sub: "0000-0002-2601-8132", name: "Credit Name", family_name: "Jones", given_name: "Tom" },
    },
  },
  id: "sub",
  user: { id: "0000-0002-2601-8132", name: "Credit Name", email: null, image: null },
  also: [
    { profile: { sub: "1", name: null, given_name: "Tom", family_name: "Jones" }, user: { name: "Tom Jones" } },
    { profile: { sub: "1", name: null, given_name: "Tom", family_name: null }, user: { name: "Tom" } },
  ],
  variants: [
    {
      options: { sandbox: true },
      start: { url: "https://sandbox.orcid.org/oauth/authorize" },
      discovery: {
        url: "https://sandbox.orcid.org/.well-known/openid-configuration",
        document: {
          issuer: "https://sandbox.orcid.org",
          authorization_endpoint: "https://sandbox.orcid.org/oauth/authorize",
          token_endpoint: "https://sandbox.orcid.org/oauth/token",
          userinfo_endpoint: "https://sandbox.orcid.org/oauth/userinfo",
          jwks_uri: "https://sandbox.orcid.org/oauth/jwks",
        },
      },
    },
  ],
} satisfies ProviderCase
