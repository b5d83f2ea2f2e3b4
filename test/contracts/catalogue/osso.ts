import type { ProviderCase } from "../support/catalogue.js"

/** @see https://ossoapp.com/docs/integration/oauth-consumption */
export default {
  // The provider of Auth.js requires the slash.
  options: { issuer: "https://demo.ossoapp.com/" },
  start: { url: "https://demo.ossoapp.com/oauth/authorize", params: { scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://demo.ossoapp.com/oauth/token",
    answer: { access_token: "the-token-of-osso", token_type: "bearer", expires_in: 600 },
  },
  api: {
    "GET https://demo.ossoapp.com/oauth/me": {
      body: {
        email: "user@example.com",
        id: "f23611a5-2817-43e2-94b7-99b25235ad2d",
        idp: "Okta",
        requested: { email: null, domain: "example.com" },
      },
    },
  },
  id: "id",
  user: { id: "f23611a5-2817-43e2-94b7-99b25235ad2d", name: null, email: "user@example.com", image: null },
  differs: {
    params: "requests no scope, because the provider has none",
    user: "contains null instead of undefined as name and picture",
  },
} satisfies ProviderCase
