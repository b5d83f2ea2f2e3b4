import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.box.com/guides/authentication/oauth2/without-sdk/ */
export default {
  start: { url: "https://account.box.com/api/oauth2/authorize", params: { scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.box.com/oauth2/token",
    auth: "post",
    answer: {
      access_token: "c3FIOG9vSGV4VHo4QzAyg5T1JvNnJoZ3ExaVNyQWw6WjRsanRKZG5lQk9qUE1BVQ",
      expires_in: 3600,
      refresh_token: "c3FIOG9vSGV4VHo4QzAyg5T1JvNnJoZ3ExaVNyQWw6WjRsanRKZG5lQk9qUE1BVQP",
      restricted_to: [],
      token_type: "bearer",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "Auth code doesn't exist or is invalid for the client" },
    },
  },
  api: {
    "GET https://api.box.com/2.0/users/me": {
      body: {
        id: "11446498",
        type: "user",
        name: "Aaron Levie",
        login: "ceo@example.com",
        created_at: "2012-12-12T10:53:43-08:00",
        modified_at: "2012-12-12T10:53:43-08:00",
        language: "en",
        timezone: "Africa/Bujumbura",
        space_amount: 11345156112,
        space_used: 1237009912,
        max_upload_size: 2147483648,
        status: "active",
        job_title: "CEO",
        phone: "6509241374",
        address: "900 Jefferson Ave, Redwood City, CA 94063",
        avatar_url: "https://www.box.com/api/avatar/large/181216415",
        notification_email: { email: "notifications@example.com", is_confirmed: true },
      },
    },
  },
  id: "id",
  user: {
    id: "11446498",
    name: "Aaron Levie",
    email: "ceo@example.com",
    image: "https://www.box.com/api/avatar/large/181216415",
  },
  also: [{ profile: { id: "1", login: "ceo@example.com" }, user: { name: "ceo@example.com" } }],
  differs: {
    params: "requests no scope, because scopes are set in the app at the provider",
    client: "the secret is sent in the request body",
  },
} satisfies ProviderCase
