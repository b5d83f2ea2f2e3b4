import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.joinmastodon.org/methods/oauth/ */
export default {
  options: { issuer: "https://mastodon.example" },
  start: { url: "https://mastodon.example/oauth/authorize", params: { scope: "read" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://mastodon.example/oauth/token",
    answer: {
      access_token: "ZA-Yj3aBD8U8Cm7lKUp-lm9O9BmDgdhHzDeqsY8tlL0",
      token_type: "Bearer",
      scope: "read",
      created_at: 1573979017,
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description:
          "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
      },
    },
  },
  api: {
    "GET https://mastodon.example/api/v1/accounts/verify_credentials": {
      body: {
        id: "14715",
        username: "trwnh",
        acct: "trwnh",
        display_name: "infinite love ⴳ",
        locked: false,
        bot: false,
        created_at: "2016-11-24T10:02:12.085Z",
        note: "<p>i have approximate knowledge of many things.</p>",
        url: "https://mastodon.example/@trwnh",
        avatar: "https://files.mastodon.example/accounts/avatars/000/014/715/original/34aa222f4ae2e0a9.gif",
        avatar_static: "https://files.mastodon.example/accounts/avatars/000/014/715/static/34aa222f4ae2e0a9.png",
        header: "https://files.mastodon.example/accounts/headers/000/014/715/original/5c6fc24edb3bb873.jpg",
        header_static: "https://files.mastodon.example/accounts/headers/000/014/715/original/5c6fc24edb3bb873.jpg",
        followers_count: 821,
        following_count: 178,
        statuses_count: 33120,
        last_status_at: "2019-11-24",
        source: { privacy: "public", sensitive: false, language: "", note: "", fields: [], follow_requests_count: 5 },
        emojis: [],
        fields: [],
        role: { id: "-99", name: "", permissions: "65536", color: "", highlighted: false },
      },
    },
  },
  id: "id",
  user: {
    id: "14715",
    name: "trwnh",
    email: null,
    image: "https://files.mastodon.example/accounts/avatars/000/014/715/static/34aa222f4ae2e0a9.png",
  },
} satisfies ProviderCase
