import type { ProviderCase } from "../support/catalogue.js"

/** @see https://pipedrive.readme.io/docs/marketplace-oauth-authorization */
export default {
  start: { url: "https://oauth.pipedrive.com/oauth/authorize", params: { scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://oauth.pipedrive.com/oauth/token",
    answer: {
      access_token: "v1u:the-token-of-pipedrive",
      token_type: "Bearer",
      refresh_token: "1234567:7654321:the-next-token-of-pipedrive",
      scope: "base",
      expires_in: 3599,
      api_domain: "https://secret-agency.pipedrive.com",
    },
  },
  api: {
    "GET https://api.pipedrive.com/v1/users/me": {
      body: {
        success: true,
        data: {
          id: 777,
          name: "James Bond",
          default_currency: "USD",
          locale: "en_US",
          lang: 1,
          email: "james.bond@example.com",
          phone: null,
          activated: true,
          last_login: "2017-12-18 08:43:13",
          created: "2017-11-08 12:00:22",
          modified: "2017-12-18 08:43:13",
          signup_flow_variation: "short_form",
          has_created_company: true,
          is_admin: 1,
          timezone_name: "Europe/Helsinki",
          timezone_offset: "+02:00",
          active_flag: true,
          role_id: 1,
          icon_url: "https://icons.example.com/profile_120x120_622732.jpg",
          is_you: true,
          company_id: 771,
          company_name: "Secret Agency",
          company_domain: "secret-agency",
        },
      },
    },
  },
  id: "data.id",
  user: {
    id: "777",
    name: "James Bond",
    email: "james.bond@example.com",
    image: "https://icons.example.com/profile_120x120_622732.jpg",
  },
  differs: {
    params: "requests no scope, because scopes are set in the app at the provider",
    userinfo: "uses the documented URL, which contains a version",
  },
} satisfies ProviderCase
