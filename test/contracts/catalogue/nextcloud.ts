import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.nextcloud.com/server/latest/admin_manual/configuration_server/oauth2.html */
export default {
  options: { issuer: "https://cloud.example.com" },
  start: { url: "https://cloud.example.com/apps/oauth2/authorize", params: { scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://cloud.example.com/apps/oauth2/api/v1/token",
    answer: {
      access_token: "the-token-of-nextcloud",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "the-next-token-of-nextcloud",
      user_id: "frank miller",
    },
    refusal: { status: 400, body: { error: "invalid_request" } },
  },
  api: {
    "GET https://cloud.example.com/ocs/v1.php/cloud/users/frank%20miller": {
      sent: { "ocs-apirequest": "true", accept: "application/json" },
      body: {
        ocs: {
          meta: { status: "ok", statuscode: 100, message: "OK", totalitems: "", itemsperpage: "" },
          data: {
            enabled: true,
            storageLocation: "/path/to/storage/location/frank miller",
            id: "frank miller",
            lastLogin: 1550650284000,
            backend: "Database",
            subadmin: [],
            quota: { free: 10_000, used: 500, total: 10_500, relative: 4.76, quota: -3 },
            email: "frank@example.org",
            displayname: "Frank K.",
            "display-name": "Frank K.",
            phone: "0123 / 456 789",
            address: "Foobar 12, 12345 Town",
            website: "https://nextcloud.com",
            twitter: "Nextcloud",
            fediverse: "",
            organisation: "",
            role: "",
            headline: "",
            biography: "",
            groups: ["group1", "group2"],
            language: "de",
            locale: "",
          },
        },
      },
    },
  },
  id: "id",
  user: {
    id: "frank miller",
    name: "Frank K.",
    email: "frank@example.org",
    image: "https://cloud.example.com/avatar/frank%20miller/512",
  },
  differs: {
    params: "requests no scope, because the provider has none",
    user: "encodes the user name in the picture URL",
  },
} satisfies ProviderCase
