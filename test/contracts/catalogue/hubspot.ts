import type { ProviderCase } from "../support/catalogue.js"

const FORM =
  "client_id=the-client&client_secret=the-client-secret-of-forty-letters-at-least&token=an-access-token-of-hubspot&token_type_hint=access_token"

/** @see https://developers.hubspot.com/docs/api-reference/latest/authentication/manage-oauth-tokens */
export default {
  start: { url: "https://app.hubspot.com/oauth/authorize", params: { scope: "oauth" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.hubapi.com/oauth/2026-03/token",
    auth: "post",
    answer: {
      token_type: "bearer",
      refresh_token: "a-refresh-token-of-hubspot",
      access_token: "an-access-token-of-hubspot",
      expires_in: 1800,
    },
    refusal: {
      status: 400,
      body: {
        message: "missing or unknown auth code",
        correlationId: "aeb5f871-7f07-4993-9211-075dc63e7cbf",
        category: "VALIDATION_ERROR",
        links: { "knowledge-base": "https://www.hubspot.com/products/service/knowledge-base" },
      },
    },
  },
  api: {
    "POST https://api.hubapi.com/oauth/2026-03/token/introspect": {
      sent: { authorization: "", "content-type": "application/x-www-form-urlencoded" },
      sentBody: FORM,
      body: {
        active: true,
        token_use: "access_token",
        token: "an-access-token-of-hubspot",
        client_id: "the-client",
        user: "user@example.com",
        hub_domain: "demo.hubspot.com",
        scopes: ["oauth"],
        hub_id: 62515,
        app_id: 456789,
        expires_in: 1754,
        user_id: 123456,
        token_type: "access",
        is_private_distribution: false,
      },
    },
  },
  id: "user_id",
  user: { id: "123456", name: "user@example.com", email: "user@example.com", image: null },
  differs: {
    params: "does not set `client_id`, which every request contains",
    token: "version 1 ends in February 2027",
    userinfo:
      "sends the access token in the body; version 1, which Auth.js uses, needs it in the URL and ends in February 2027",
  },
} satisfies ProviderCase
