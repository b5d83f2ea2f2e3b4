import type { ProviderCase } from "../support/catalogue.js"

const person = {
  id: 1,
  sub: "1",
  client: "Demo",
  name: "Son GM",
  email: "test-avk5l@mail-tester.com",
  email_verified: true,
  avatar_url: "https://s3.example.com/avatars/1.png",
}

/** @see https://simplelogin.io/docs/siwsl/code-flow/ */
export default {
  start: { url: "https://app.simplelogin.io/oauth2/authorize", params: { scope: "openid" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://app.simplelogin.io/.well-known/openid-configuration",
    document: {
      issuer: "https://app.simplelogin.io",
      authorization_endpoint: "https://app.simplelogin.io/oauth2/authorize",
      token_endpoint: "https://app.simplelogin.io/oauth2/token",
      userinfo_endpoint: "https://app.simplelogin.io/oauth2/userinfo",
      jwks_uri: "https://app.simplelogin.io/jwks",
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: { ...person, auth_time: 1_600_000_000 },
  token: {
    url: "https://app.simplelogin.io/oauth2/token",
    answer: {
      access_token: "simplelogin-access-token",
      token_type: "Bearer",
      expires_in: 3600,
      scope: "openid",
      user: person,
    },
    // The response to an unknown code has the same form, and its message repeats the code.
    refusal: { status: 400, body: { error: "are you sure this code belongs to you?" } },
  },
  id: "sub",
  user: { id: "1", name: person.name, email: person.email, image: person.avatar_url },
  differs: { params: "requests only `openid`, because SimpleLogin otherwise returns no nonce" },
} satisfies ProviderCase
