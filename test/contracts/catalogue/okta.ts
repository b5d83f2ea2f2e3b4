import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://dev-123456.okta.com/oauth2/default"

/** @see https://developer.okta.com/docs/guides/implement-grant-type/authcode/main/ */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/v1/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/v1/authorize`,
      token_endpoint: `${ISSUER}/v1/token`,
      userinfo_endpoint: `${ISSUER}/v1/userinfo`,
      jwks_uri: `${ISSUER}/v1/keys`,
    },
  },
  claims: {
    ver: 1,
    sub: "00uid4BxXw6I6TV4m0g3",
    auth_time: 1700000000,
    amr: ["pwd"],
    jti: "ID.4eAWJOCMB3SX8XewDfVR",
    idp: "00ok1u7AsAkrwdZL3z0g3",
    name: "John Doe",
    nickname: "Jimmy",
    preferred_username: "john.doe@example.com",
    given_name: "John",
    middle_name: "James",
    family_name: "Doe",
    profile: "https://example.com/john.doe",
    picture: "https://example.com/john.doe.png",
    zoneinfo: "America/Los_Angeles",
    locale: "en-US",
    updated_at: 1311280970,
    email: "john.doe@example.com",
    email_verified: true,
  },
  token: {
    url: `${ISSUER}/v1/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiJ9.eyJ2ZXIiOjEsImlzcyI6Imh0dHA6Ly9y",
      token_type: "Bearer",
      expires_in: 3600,
      scope: "openid profile email",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "The authorization code is invalid or has expired." },
    },
  },
  id: "sub",
  user: {
    id: "00uid4BxXw6I6TV4m0g3",
    name: "John Doe",
    email: "john.doe@example.com",
    image: "https://example.com/john.doe.png",
  },
  differs: { checks: "the default, which adds the nonce" },
} satisfies ProviderCase
