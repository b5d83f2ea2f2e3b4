import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://api.descope.com/the-client"

/** @see https://docs.descope.com/getting-started/oidc-endpoints */
export default {
  // The issuer is derived from the client id.
  options: { clientId: "the-client" },
  start: {
    url: "https://api.descope.com/oauth2/v1/authorize",
    params: { scope: "openid profile email" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: "https://api.descope.com/oauth2/v1/authorize",
      token_endpoint: "https://api.descope.com/oauth2/v1/token",
      userinfo_endpoint: "https://api.descope.com/oauth2/v1/userinfo",
      revocation_endpoint: "https://api.descope.com/oauth2/v1/revoke",
      end_session_endpoint: "https://api.descope.com/oauth2/v1/logout",
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    },
  },
  claims: {
    aud: ["the-client"],
    sub: "U2aBcDeFgHiJkLmNoPqRsTuVwXyZ",
    name: "Jane Smith",
    email: "jane@example.com",
    email_verified: true,
    phone_number: "+972555555555",
    phone_number_verified: false,
    picture: "https://example.com/jane.png",
  },
  token: {
    url: "https://api.descope.com/oauth2/v1/token",
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IlAyZmljdGl0aW91cyJ9",
      token_type: "Bearer",
      expires_in: 600,
      refresh_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IlAyZmljdGl0aW91cyJ8",
      scope: "openid profile email",
    },
  },
  id: "sub",
  user: {
    id: "U2aBcDeFgHiJkLmNoPqRsTuVwXyZ",
    name: "Jane Smith",
    email: "jane@example.com",
    image: "https://example.com/jane.png",
  },
  variants: [
    {
      options: { issuer: "https://auth.example.com/the-project" },
      start: { url: "https://auth.example.com/oauth2/v1/authorize" },
      discovery: {
        url: "https://auth.example.com/the-project/.well-known/openid-configuration",
        document: {
          issuer: "https://auth.example.com/the-project",
          authorization_endpoint: "https://auth.example.com/oauth2/v1/authorize",
          jwks_uri: "https://auth.example.com/the-project/.well-known/jwks.json",
        },
      },
    },
  ],
  differs: { checks: "the provider documents the nonce" },
} satisfies ProviderCase
