import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions */
export default {
  start: { url: "https://threads.net/oauth/authorize", params: { scope: "threads_basic" } },
  checks: ["state"],
  token: {
    url: "https://graph.threads.net/oauth/access_token",
    auth: "post",
    answer: { access_token: "THQVJ...", user_id: "17841405793187218" },
    refusal: {
      status: 400,
      body: {
        error_type: "OAuthException",
        code: 400,
        error_message: "Matching code was not found or was already used",
      },
    },
  },
  api: {
    "GET https://graph.threads.net/v1.0/me?fields=id%2Cusername%2Cname%2Cthreads_profile_picture_url%2Cthreads_biography":
      {
        body: {
          id: "1234567",
          username: "threadsapitestuser",
          name: "Threads API Test User",
          threads_profile_picture_url: "https://scontent-sjc3-1.cdninstagram.com/link/to/profile/picture/on/threads/",
          threads_biography: "This is my Threads bio.",
        },
      },
  },
  id: "id",
  user: {
    id: "1234567",
    name: "threadsapitestuser",
    email: null,
    image: "https://scontent-sjc3-1.cdninstagram.com/link/to/profile/picture/on/threads/",
  },
  also: [{ profile: { id: "1", name: "Threads API Test User" }, user: { name: "Threads API Test User" } }],
  differs: { user: "reads the members of the response directly, and not from `data`" },
} satisfies ProviderCase
