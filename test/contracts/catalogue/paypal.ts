import type { ProviderCase } from "../support/catalogue.js"

const USER_ID = "https://www.paypal.com/webapps/auth/identity/user/mWq6_1sU85v5EG9yHdPxJRrhGHrnMJ-1PQKtX6pcsmA"

/** @see https://developer.paypal.com/docs/log-in-with-paypal/integrate/build-button */
export default {
  start: {
    url: "https://www.paypal.com/signin/authorize",
    params: { flowEntry: "static", scope: "openid profile email" },
  },
  checks: ["state"],
  token: {
    url: "https://api-m.paypal.com/v1/oauth2/token",
    answer: {
      token_type: "Bearer",
      expires_in: 28800,
      refresh_token: "R23AAGfMRV0BR1z5Jq6Vg3Hn8i9",
      access_token: "A23AAFvNTKvZX8Lw0_j4Kt5yuQKmXx",
      scope: "openid profile email",
      nonce: "2024-03-27T09:29:49ZexampleNonce",
    },
  },
  api: {
    "GET https://api-m.paypal.com/v1/identity/openidconnect/userinfo?schema=openid": {
      body: {
        user_id: USER_ID,
        sub: USER_ID,
        name: "identity test",
        given_name: "identity",
        family_name: "test",
        email: "user1@example.com",
        email_verified: true,
        locale: "en_US",
        zoneinfo: "America/Los_Angeles",
        address: {
          street_address: "7917394 Annursnac Hill Road Unit 0C",
          locality: "Ventura",
          region: "CA",
          postal_code: "93003",
          country: "US",
        },
        verified_account: true,
        account_type: "PERSONAL",
      },
      sent: { "content-type": "application/x-www-form-urlencoded" },
    },
  },
  id: "user_id",
  emailVerified: true,
  user: { id: USER_ID, name: "identity test", email: "user1@example.com", image: null },
  also: [{ profile: { user_id: "1", given_name: "Ada", family_name: "Test" }, user: { name: "Ada Test" } }],
  variants: [{ options: { sandbox: true }, start: { url: "https://www.sandbox.paypal.com/signin/authorize" } }],
} satisfies ProviderCase
