import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.rfc-editor.org/rfc/rfc8414#section-3 */
export default {
  options: { issuer: "https://auth.example.com/tenant", userinfo: "https://api.example.com/me" },
  // The scopes of the server are unknown, so no scope is requested.
  start: { url: "https://auth.example.com/tenant/authorize" },
  checks: ["pkce", "state"],
  discovery: {
    url: "https://auth.example.com/.well-known/oauth-authorization-server/tenant",
    document: {
      issuer: "https://auth.example.com/tenant",
      authorization_endpoint: "https://auth.example.com/tenant/authorize",
      token_endpoint: "https://auth.example.com/tenant/token",
      jwks_uri: "https://auth.example.com/tenant/jwks",
      authorization_response_iss_parameter_supported: true,
    },
  },
  token: {
    url: "https://auth.example.com/tenant/token",
    answer: {
      access_token: "2YotnFZFEjr1zCsicMWpAA",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "tGzv3JOkF0XG5Qx2TlKWIA",
    },
    refusal: { status: 400, body: { error: "invalid_request" } },
  },
  api: {
    "GET https://api.example.com/me": {
      body: { id: 7, name: "Jane Doe", email: "janedoe@example.com", picture: "https://example.com/janedoe/me.jpg" },
    },
  },
  id: "id",
  user: {
    id: "7",
    name: "Jane Doe",
    email: "janedoe@example.com",
    image: "https://example.com/janedoe/me.jpg",
  },
} satisfies ProviderCase
