import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.wordpress.com/docs/api/oauth2/ */
export default {
  start: { url: "https://public-api.wordpress.com/oauth2/authorize", params: { scope: "auth" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://public-api.wordpress.com/oauth2/token",
    auth: "post",
    answer: {
      access_token: "YOUR_API_TOKEN",
      token_type: "bearer",
      blog_id: "0",
      blog_url: "https://public-api.wordpress.com",
      scope: "auth",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "The requested authorization code is invalid." },
    },
  },
  api: {
    "GET https://public-api.wordpress.com/rest/v1/me": {
      body: {
        ID: 78972699,
        display_name: "Api Examples",
        username: "apiexamples",
        email: "api@example.com",
        primary_blog: 83006764,
        primary_blog_url: "https://apiexamples.wordpress.com",
        language: "en",
        token_site_id: false,
        token_scope: ["auth"],
        avatar_URL: "https://0.gravatar.com/avatar/673c0010807c5f65d08c9bba846c5e4f?s=96&d=identicon",
        profile_URL: "https://en.gravatar.com/apiexamples",
        verified: true,
        email_verified: true,
        date: "2014-12-10T21:27:42+00:00",
        site_count: 1,
        visible_site_count: 1,
        has_unseen_notes: false,
        newest_note_type: "",
        phone_account: false,
        meta: { links: { self: "https://public-api.wordpress.com/rest/v1/me" } },
      },
    },
  },
  id: "ID",
  emailVerified: true,
  user: {
    id: "78972699",
    name: "Api Examples",
    email: "api@example.com",
    image: "https://0.gravatar.com/avatar/673c0010807c5f65d08c9bba846c5e4f?s=96&d=identicon",
  },
  also: [{ profile: { ID: 1, username: "apiexamples" }, user: { name: "apiexamples" } }],
  differs: { client: "the secret is sent in the request body" },
} satisfies ProviderCase
