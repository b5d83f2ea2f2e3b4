import type { ProviderCase } from "../support/catalogue.js"

/** @see https://github.com/Medium/medium-api-docs/blob/master/api.md */
export default {
  start: { url: "https://medium.com/m/oauth/authorize", params: { scope: "basicProfile" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.medium.com/v1/tokens",
    auth: "post",
    status: 201,
    answer: {
      token_type: "Bearer",
      access_token: "181d415f34379af07b2c11d144dfbe35d",
      refresh_token: "281d415f34379af07b2c11d144dfbe35d",
      scope: ["basicProfile"],
      expires_at: 1900000000000,
    },
  },
  api: {
    "GET https://api.medium.com/v1/me": {
      body: {
        data: {
          id: "5303d74c64f66366f00cb9b2a94f3251bf5",
          username: "majelbstoat",
          name: "Jamie Talbot",
          url: "https://medium.com/@majelbstoat",
          imageUrl: "https://images.medium.com/0*fkfQiTzT7TlUGGyI.png",
        },
      },
    },
  },
  id: "data.id",
  user: {
    id: "5303d74c64f66366f00cb9b2a94f3251bf5",
    name: "Jamie Talbot",
    email: null,
    image: "https://images.medium.com/0*fkfQiTzT7TlUGGyI.png",
  },
  differs: { client: "the secret is sent in the request body" },
} satisfies ProviderCase
