import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.freshbooks.com/api/authentication */
export default {
  start: { url: "https://auth.freshbooks.com/oauth/authorize" },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.freshbooks.com/auth/oauth/token",
    auth: "post",
    answer: {
      access_token: "an-access-token-of-freshbooks",
      token_type: "Bearer",
      expires_in: 43199,
      refresh_token: "a-refresh-token-of-freshbooks",
      scope: "user:profile:read",
      created_at: 1664998522,
      direct_buy_tokens: {},
    },
  },
  api: {
    "GET https://api.freshbooks.com/auth/api/v1/users/me": {
      body: {
        response: {
          id: 2192788,
          first_name: "Johnny",
          last_name: "Appleseed",
          email: "johnnyappleseed@test.com",
          language: "en",
          created_at: "2019-06-05T15:42:54Z",
          phone_numbers: [{ title: "", phone_number: null }],
          addresses: [null],
          profession: { id: 2609324, title: "Apple Consulting", company: "Fruity Loops", designation: null },
          links: { me: "/service/auth/api/v1/users?id=2192788", roles: "/service/auth/api/v1/users/role/2192788" },
          business_memberships: [
            { id: 6765686, role: "owner", business: { id: 2122866, name: "Fruity Loops", account_id: "xZNQ1X" } },
          ],
        },
      },
    },
  },
  id: "response.id",
  user: { id: "2192788", name: "Johnny Appleseed", email: "johnnyappleseed@test.com", image: null },
  also: [{ profile: { response: { id: 1, last_name: "Appleseed" } }, user: { name: "Appleseed" } }],
  differs: {
    authorizationUrl: "the documented URL",
    params: "requests no scope, because scopes are set in the app at the provider",
    client: "the secret is sent in the request body",
  },
} satisfies ProviderCase
