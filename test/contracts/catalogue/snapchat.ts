import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.snap.com/snap-kit/login-kit/overview */
export default {
  start: {
    url: "https://accounts.snapchat.com/accounts/oauth2/auth",
    params: {
      scope:
        "https://auth.snapchat.com/oauth2/api/user.external_id https://auth.snapchat.com/oauth2/api/user.display_name https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar",
    },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://accounts.snapchat.com/accounts/oauth2/token",
    auth: "post",
    answer: {
      access_token: "hCgwKCjE2MDUyMDM4NjE",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "hCgwKCjE2MDUyMDM4NjIS",
      scope:
        "https://auth.snapchat.com/oauth2/api/user.external_id https://auth.snapchat.com/oauth2/api/user.display_name https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar",
    },
  },
  api: {
    "POST https://kit.snapchat.com/v1/me": {
      sent: { "content-type": "application/json" },
      sentBody: '{"query":"{me{externalId displayName bitmoji{avatar}}}"}',
      body: {
        data: {
          me: {
            externalId: "CAESIPiRBp0e5gLDq7VVurQ3rVdmdbqxpOJWynjyBL/xlo0w",
            displayName: "Jane",
            bitmoji: { avatar: "https://sdk.bitmoji.com/render/panel/jane-v1.png" },
          },
        },
        errors: [],
      },
    },
  },
  id: "externalId",
  user: {
    id: "CAESIPiRBp0e5gLDq7VVurQ3rVdmdbqxpOJWynjyBL/xlo0w",
    name: "Jane",
    email: null,
    image: "https://sdk.bitmoji.com/render/panel/jane-v1.png",
  },
  also: [{ profile: { externalId: "1", displayName: "Jane", bitmoji: null }, user: { name: "Jane", image: null } }],
} satisfies ProviderCase
