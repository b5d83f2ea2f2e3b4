import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.zoho.com/accounts/protocol/oauth/web-apps/access-token.html */
export default {
  start: { url: "https://accounts.zoho.com/oauth/v2/auth", params: { scope: "AaaServer.profile.Read" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://accounts.zoho.com/oauth/v2/token",
    auth: "post",
    answer: {
      access_token: "1000.2deaf8d0c268e3c85daa2a013a843b10.703adef2bb337b8ca36cfc5d7b83cf24",
      expires_in: 3600,
      api_domain: "https://www.zohoapis.com",
      token_type: "Bearer",
    },
    refusal: { status: 200, body: { error: "invalid_code" } },
  },
  api: {
    "GET https://accounts.zoho.com/oauth/user/info": {
      body: {
        First_Name: "Jane",
        Email: "jane@example.com",
        Last_Name: "Doe",
        Display_Name: "janedoe",
        ZUID: 675925609,
      },
    },
  },
  id: "ZUID",
  user: { id: "675925609", name: "Jane Doe", email: "jane@example.com", image: null },
  also: [{ profile: { ZUID: 1, Display_Name: "janedoe" }, user: { name: "janedoe" } }],
  differs: { client: "the client secret is documented as a parameter" },
} satisfies ProviderCase
