import type { ProviderCase } from "../support/catalogue.js"

const AVATAR = "https://p19-sign.tiktokcdn-us.com/tos-avt-0068-tx/b17f0e4b3a4f4a50993cf72cda8b88b8"

/** @see https://developers.tiktok.com/doc/login-kit-web */
export default {
  start: {
    url: "https://www.tiktok.com/v2/auth/authorize",
    params: { client_key: "the-client", scope: "user.info.basic" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://open.tiktokapis.com/v2/oauth/token/",
    auth: "own",
    form: { client_key: "the-client", client_secret: "the-client-secret-of-forty-letters-at-least" },
    answer: {
      access_token: "act.example12345Example12345Example",
      expires_in: 86400,
      open_id: "723f24d7-e717-40f8-a2b6-cb8464cd23b4",
      refresh_expires_in: 31536000,
      refresh_token: "rft.example12345Example12345Example",
      scope: "user.info.basic",
      token_type: "Bearer",
    },
    refusal: {
      status: 200,
      body: {
        error: "invalid_grant",
        error_description: "Authorization code is expired.",
        log_id: "202206221854370101130062072500FFA2",
      },
    },
  },
  api: {
    "GET https://open.tiktokapis.com/v2/user/info/?fields=open_id%2Cunion_id%2Cavatar_url%2Cavatar_url_100%2Cavatar_large_url%2Cdisplay_name":
      {
        body: {
          data: {
            user: {
              open_id: "723f24d7-e717-40f8-a2b6-cb8464cd23b4",
              union_id: "c9c60f44-a68e-4f5d-84dd-ce22faeb0ba1",
              avatar_url: `${AVATAR}~c5_168x168.jpeg`,
              avatar_url_100: `${AVATAR}~c5_100x100.jpeg`,
              avatar_large_url: `${AVATAR}~c5_1080x1080.jpeg`,
              display_name: "Jane Doe",
            },
          },
          error: { code: "ok", message: "", log_id: "20220829194722CBE87ED59D524E727021" },
        },
      },
  },
  id: "data.user.open_id",
  user: {
    id: "723f24d7-e717-40f8-a2b6-cb8464cd23b4",
    name: "Jane Doe",
    email: null,
    image: `${AVATAR}~c5_168x168.jpeg`,
  },
} satisfies ProviderCase
