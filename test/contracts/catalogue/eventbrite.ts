import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.eventbrite.com/platform/api#/introduction/authentication */
export default {
  start: { url: "https://www.eventbrite.com/oauth/authorize", params: { scope: "user.profile" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://www.eventbrite.com/oauth/token",
    auth: "post",
    answer: { access_token: "BQDFZ6CHR3ZLZ3SP3VNO", token_type: "bearer" },
  },
  api: {
    "GET https://www.eventbriteapi.com/v3/users/me/": {
      body: {
        emails: [
          { email: "jsmith@old.example.com", verified: true, primary: false },
          { email: "jsmith@example.com", verified: true, primary: true },
        ],
        id: "12345678901",
        name: "John Smith",
        first_name: "John",
        last_name: "Smith",
        is_public: false,
        image_id: "56789",
      },
    },
  },
  id: "id",
  emailVerified: true,
  user: {
    id: "12345678901",
    name: "John Smith",
    email: "jsmith@example.com",
    image: "https://img.evbuc.com/https%3A%2F%2Fcdn.evbuc.com%2Fimages%2F56789%2F1%2Foriginal.jpg",
  },
  also: [
    {
      // An address that is not the primary one is ignored.
      profile: { id: "1", first_name: "John", last_name: "Smith", emails: [{ email: "j@old.example.com" }] },
      user: { name: "John Smith", email: null, image: null },
    },
  ],
} satisfies ProviderCase
