import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/ */
export default {
  start: { url: "https://www.pinterest.com/oauth", params: { scope: "user_accounts:read" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.pinterest.com/v5/oauth/token",
    answer: {
      access_token: "pina_the-token-of-pinterest",
      refresh_token: "pinr_the-next-token-of-pinterest",
      response_type: "authorization_code",
      token_type: "bearer",
      expires_in: 2592000,
      refresh_token_expires_in: 31536000,
      scope: "user_accounts:read",
    },
    refusal: {
      status: 401,
      body: { code: 283, message: "The authorization grant is invalid", status: "failure" },
    },
  },
  api: {
    "GET https://api.pinterest.com/v5/user_account": {
      body: {
        account_type: "BUSINESS",
        id: "549755885175",
        profile_image: "https://i.pinimg.com/280x280_RS/5c/88/2f/corgi.jpg",
        website_url: "https://www.example.com",
        username: "pinterest_user",
        about: "Corgis",
        business_name: "Pinterest User",
        board_count: 14,
        pin_count: 339,
        follower_count: 10,
        following_count: 347,
        monthly_views: 163,
      },
    },
  },
  id: "id",
  user: {
    id: "549755885175",
    name: "pinterest_user",
    email: null,
    image: "https://i.pinimg.com/280x280_RS/5c/88/2f/corgi.jpg",
  },
  differs: { user: "uses Pinterest's `id` instead of the user name as the account id" },
} satisfies ProviderCase
