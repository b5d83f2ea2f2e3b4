import type { ProviderCase } from "../support/catalogue.js"

/** @see https://boxyhq.com/docs/jackson/sso-flow/ */
export default {
  options: { issuer: "https://sso.example.com" },
  start: {
    url: "https://sso.example.com/api/oauth/authorize",
    params: { provider: "saml", scope: undefined },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://sso.example.com/api/oauth/token",
    auth: "post",
    answer: {
      access_token: "8958e13053832b5af58fdf2ee83f35f5d013dc74",
      token_type: "bearer",
      expires_in: 300,
    },
  },
  api: {
    "GET https://sso.example.com/api/oauth/userinfo": {
      body: {
        id: "sjackson@example.com",
        email: "sjackson@example.com",
        firstName: "SAML",
        lastName: "Jackson",
        requested: { client_id: "the-client", tenant: "boxyhq.com", product: "demo" },
        raw: {
          id: "sjackson@example.com",
          email: "sjackson@example.com",
          firstName: "SAML",
          lastName: "Jackson",
        },
      },
    },
  },
  id: "id",
  user: { id: "sjackson@example.com", name: "SAML Jackson", email: "sjackson@example.com", image: null },
  also: [{ profile: { id: "1", lastName: "Jackson" }, user: { name: "Jackson" } }],
  differs: {
    params: "requests no OpenID Connect scope, because with one the server responds as an OpenID provider",
    client: "the secret is sent in the request body",
  },
} satisfies ProviderCase
