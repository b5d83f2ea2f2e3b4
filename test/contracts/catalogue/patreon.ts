import type { ProviderCase } from "../support/catalogue.js"

const FIELDS = [
  "email",
  "is_email_verified",
  "first_name",
  "last_name",
  "full_name",
  "image_url",
  "thumb_url",
  "url",
  "vanity",
].join("%2C")

/** @see https://docs.patreon.com/#oauth */
export default {
  start: { url: "https://www.patreon.com/oauth2/authorize", params: { scope: "identity identity[email]" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://www.patreon.com/api/oauth2/token",
    answer: {
      access_token: "the-token-of-patreon",
      refresh_token: "the-next-token-of-patreon",
      expires_in: 2678400,
      scope: "identity identity[email]",
      token_type: "Bearer",
    },
    refusal: { status: 401, body: { error: "invalid_grant" } },
  },
  api: {
    [`GET https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=${FIELDS}`]: {
      body: {
        data: {
          attributes: {
            email: "corgi@example.com",
            is_email_verified: true,
            first_name: "Corgi",
            last_name: "The Dev",
            full_name: "Corgi The Dev",
            image_url: "https://c8.patreon.com/2/400/0000000",
            thumb_url: "https://c8.patreon.com/2/100/0000000",
            url: "https://www.patreon.com/corgithedev",
            vanity: "corgithedev",
          },
          id: "12345",
          type: "user",
        },
        links: { self: "https://www.patreon.com/api/oauth2/v2/user/12345" },
      },
    },
  },
  id: "data.id",
  emailVerified: true,
  user: {
    id: "12345",
    name: "Corgi The Dev",
    email: "corgi@example.com",
    image: "https://c8.patreon.com/2/400/0000000",
  },
  differs: { userinfo: "uses version 2, to which the scopes belong; Auth.js uses the deprecated version 1" },
} satisfies ProviderCase
