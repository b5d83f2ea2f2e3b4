import type { ProviderCase } from "../support/catalogue.js"

/** @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/ */
export default {
  start: { url: "https://login.mailchimp.com/oauth2/authorize" },
  checks: ["pkce", "state"],
  token: {
    url: "https://login.mailchimp.com/oauth2/token",
    auth: "post",
    answer: { access_token: "an-access-token-of-mailchimp", expires_in: 0, scope: null },
  },
  api: {
    "GET https://login.mailchimp.com/oauth2/metadata": {
      sent: { authorization: "OAuth an-access-token-of-mailchimp" },
      body: {
        dc: "us6",
        role: "owner",
        accountname: "Freddie's Jokes",
        user_id: 1234567,
        login: {
          email: "freddie@example.com",
          avatar: null,
          login_id: 7654321,
          login_name: "freddie",
          login_email: "freddie@example.com",
        },
        login_url: "https://login.mailchimp.com",
        api_endpoint: "https://us6.api.mailchimp.com",
      },
    },
  },
  id: "login.login_id",
  user: { id: "7654321", name: "Freddie's Jokes", email: "freddie@example.com", image: null },
  differs: {
    params: "requests no scope, because the provider has none",
    client: "the secret is sent in the request body",
  },
} satisfies ProviderCase
