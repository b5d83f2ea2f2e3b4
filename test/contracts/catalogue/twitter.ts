import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */
export default {
  start: {
    url: "https://x.com/i/oauth2/authorize",
    params: { scope: "users.read tweet.read offline.access" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.x.com/2/oauth2/token",
    answer: {
      token_type: "bearer",
      expires_in: 7200,
      access_token: "Q0Mzb0VhZ0V5dmNXSTEyNER2MFNfVW50RzdXdTN6STFxQlVkTGhTc1lCdlBiOjE2MjIxNDc3NDM5MTQ6MToxOmF0OjE",
      scope: "tweet.read users.read offline.access",
      refresh_token: "bWRWa3gzdnk3WHRGU1o0bmRRcTJ5VUxWX1lZTDdJSUtmaWcxbTVxdEFXcW5tOjE2MjIxNDc3NDM5MTQ6MToxOnJ0OjE",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_request",
        error_description: "Value passed for the authorization code was invalid.",
      },
    },
  },
  api: {
    "GET https://api.x.com/2/users/me?user.fields=profile_image_url": {
      body: {
        data: {
          id: "2244994945",
          name: "X Dev",
          username: "TwitterDev",
          profile_image_url: "https://pbs.twimg.com/profile_images/1267175364003901441/tBZNFAgA_normal.jpg",
        },
      },
    },
  },
  id: "data.id",
  user: {
    id: "2244994945",
    name: "X Dev",
    email: null,
    image: "https://pbs.twimg.com/profile_images/1267175364003901441/tBZNFAgA_normal.jpg",
  },
  also: [
    {
      profile: { data: { id: "1", username: "TwitterDev", confirmed_email: "dev@example.com" } },
      user: { name: "TwitterDev", email: "dev@example.com" },
    },
  ],
  variants: [
    { options: { email: true }, start: { params: { scope: "users.read tweet.read offline.access users.email" } } },
  ],
} satisfies ProviderCase
