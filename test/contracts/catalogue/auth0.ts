import type { ProviderCase } from "../support/catalogue.js"

const TENANT = "https://tenant.eu.auth0.com"

/** @see https://auth0.com/docs/get-started/authentication-and-authorization-flow/authorization-code-flow */
export default {
  options: { issuer: `${TENANT}/` },
  start: { url: `${TENANT}/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${TENANT}/.well-known/openid-configuration`,
    document: {
      issuer: `${TENANT}/`,
      authorization_endpoint: `${TENANT}/authorize`,
      token_endpoint: `${TENANT}/oauth/token`,
      userinfo_endpoint: `${TENANT}/userinfo`,
      jwks_uri: `${TENANT}/.well-known/jwks.json`,
    },
  },
  claims: {
    sub: "auth0|123456",
    name: "Jane Doe",
    given_name: "Jane",
    family_name: "Doe",
    nickname: "jane",
    picture: "http://example.com/janedoe/me.jpg",
    updated_at: "2024-02-29T11:30:00.000Z",
    email: "jane@example.com",
    email_verified: true,
    sid: "Jt5Kq0fJ8bN1xYzR3vWm7uLpSdTgHcEa",
  },
  token: {
    url: `${TENANT}/oauth/token`,
    answer: {
      access_token: "eyJz93a0ZK4laUWw",
      scope: "openid profile email",
      expires_in: 86400,
      token_type: "Bearer",
    },
    refusal: { status: 403, body: { error: "invalid_grant", error_description: "Invalid authorization code" } },
  },
  id: "sub",
  user: {
    id: "auth0|123456",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "http://example.com/janedoe/me.jpg",
  },
} satisfies ProviderCase
