import type { ProviderCase } from "../support/catalogue.js"

/** @see https://develop.battle.net/documentation/guides/using-oauth/authorization-code-flow */
export default {
  start: { url: "https://oauth.battle.net/authorize", params: { scope: "openid" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://oauth.battle.net/.well-known/openid-configuration",
    document: {
      issuer: "https://oauth.battle.net",
      authorization_endpoint: "https://oauth.battle.net/authorize",
      token_endpoint: "https://oauth.battle.net/token",
      userinfo_endpoint: "https://oauth.battle.net/userinfo",
      jwks_uri: "https://oauth.battle.net/jwks/certs",
    },
  },
  claims: { sub: "12345678", battle_tag: "Thrall#1234" },
  token: {
    url: "https://oauth.battle.net/token",
    answer: {
      access_token: "EUexampleAccessToken",
      token_type: "bearer",
      expires_in: 86399,
      scope: "openid",
      sub: "12345678",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Invalid authorization code" } },
  },
  id: "sub",
  user: { id: "12345678", name: "Thrall#1234", email: null, image: null },
  differs: {
    issuer: "has a default, the host of all regions except China",
    params: "requests only the documented scope `openid`",
  },
} satisfies ProviderCase
