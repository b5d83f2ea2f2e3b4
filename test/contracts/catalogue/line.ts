import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.line.biz/en/docs/line-login/integrate-line-login/ */
export default {
  start: { url: "https://access.line.me/oauth2/v2.1/authorize", params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://access.line.me/.well-known/openid-configuration",
    document: {
      issuer: "https://access.line.me",
      authorization_endpoint: "https://access.line.me/oauth2/v2.1/authorize",
      token_endpoint: "https://api.line.me/oauth2/v2.1/token",
      userinfo_endpoint: "https://api.line.me/oauth2/v2.1/userinfo",
      jwks_uri: "https://api.line.me/oauth2/v2.1/certs",
      // The algorithm for native apps. LINE does not list the one for web apps, HS256.
      id_token_signing_alg_values_supported: ["ES256"],
    },
  },
  claims: {
    sub: "U1234567890abcdef1234567890abcdef",
    amr: ["pwd", "linesso"],
    name: "Taro Line",
    picture: "https://sample_line.me/aBcdefg123456",
    email: "taro.line@example.com",
  },
  idTokenAlg: "HS256",
  token: {
    url: "https://api.line.me/oauth2/v2.1/token",
    auth: "post",
    answer: {
      access_token: "bNl4YEFPI/hjFWhTqexp4MuEw5YPs",
      expires_in: 2_592_000,
      refresh_token: "Aa1FdeggRhTnPNNpxr8p",
      scope: "profile openid email",
      token_type: "Bearer",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "invalid authorization code" } },
  },
  id: "sub",
  user: {
    id: "U1234567890abcdef1234567890abcdef",
    name: "Taro Line",
    email: "taro.line@example.com",
    image: "https://sample_line.me/aBcdefg123456",
  },
  differs: {
    checks: "the provider documents PKCE and the nonce",
    client: "the secret is sent in the request body",
  },
} satisfies ProviderCase
