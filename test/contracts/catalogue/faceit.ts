import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.faceit.com/getting-started/authentication/oauth2 */
export default {
  start: {
    url: "https://accounts.faceit.com/accounts",
    params: { redirect_popup: "true", scope: "openid profile email" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.faceit.com/auth/v1/oauth/token",
    answer: {
      access_token: "an-access-token-of-faceit",
      token_type: "Bearer",
      expires_in: 86399,
      refresh_token: "a-refresh-token-of-faceit",
      scope: "openid profile email",
    },
  },
  api: {
    "GET https://api.faceit.com/auth/v1/resources/userinfo": {
      body: {
        guid: "0d94f6b5-7a4c-4a37-9f3e-6a3b7f3b2c11",
        nickname: "nelly",
        email: "nelly@example.com",
        picture: "https://assets.faceit-cdn.net/avatars/nelly.jpg",
      },
    },
  },
  id: "guid",
  user: {
    id: "0d94f6b5-7a4c-4a37-9f3e-6a3b7f3b2c11",
    name: "nelly",
    email: "nelly@example.com",
    image: "https://assets.faceit-cdn.net/avatars/nelly.jpg",
  },
  differs: {
    params: "requests the documented scopes",
    user: "uses the nickname as the name, because players have no other name",
  },
} satisfies ProviderCase
