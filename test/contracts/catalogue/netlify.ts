import type { ProviderCase } from "../support/catalogue.js"

/** @see https://open-api.netlify.com/#tag/user/operation/getCurrentUser */
export default {
  start: { url: "https://app.netlify.com/authorize", params: { scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.netlify.com/oauth/token",
    answer: { access_token: "the-token-of-netlify", token_type: "Bearer" },
  },
  api: {
    "GET https://api.netlify.com/api/v1/user": {
      body: {
        id: "5c0b4d3e8f1a2b0008d1e2f3",
        uid: "5c0b4d3e8f1a2b0008d1e2f3",
        full_name: "Jane Doe",
        avatar_url: "https://avatars.example.com/jane.png",
        email: "jane@example.com",
        affiliate_id: "",
        site_count: 3,
        created_at: "2018-12-08T04:41:34.000Z",
        last_login: "2024-05-02T10:00:00.000Z",
        login_providers: ["github"],
        onboarding_progress: { slides: "done" },
      },
    },
  },
  id: "id",
  user: {
    id: "5c0b4d3e8f1a2b0008d1e2f3",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://avatars.example.com/jane.png",
  },
} satisfies ProviderCase
