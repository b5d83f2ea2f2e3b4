import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.spotify.com/documentation/web-api/tutorials/code-flow */
export default {
  start: { url: "https://accounts.spotify.com/authorize", params: { scope: "user-read-email" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://accounts.spotify.com/api/token",
    answer: {
      access_token: "NgCXRK...MzYjw",
      token_type: "Bearer",
      scope: "user-read-email",
      expires_in: 3600,
      refresh_token: "NgAagA...Um_SHo",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "Invalid authorization code" },
    },
  },
  api: {
    "GET https://api.spotify.com/v1/me": {
      body: {
        account_id: "aB3dE5fG7h",
        display_name: "Jane Doe",
        email: "jane@example.com",
        external_urls: { spotify: "https://open.spotify.com/user/jane" },
        followers: { href: null, total: 12 },
        href: "https://api.spotify.com/v1/users/jane",
        id: "jane",
        images: [
          { url: "https://i.scdn.co/image/ab67616d00001e02ff9ca10b55ce82ae553c8228", height: 300, width: 300 },
          { url: "https://i.scdn.co/image/ab67616d00001e02ff9ca10b55ce82ae553c8229", height: 64, width: 64 },
        ],
        type: "user",
        uri: "spotify:user:jane",
      },
    },
  },
  id: "id",
  user: {
    id: "jane",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://i.scdn.co/image/ab67616d00001e02ff9ca10b55ce82ae553c8228",
  },
} satisfies ProviderCase
