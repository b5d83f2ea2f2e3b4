import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.clickup.com/docs/authentication#oauth-flow */
export default {
  start: { url: "https://app.clickup.com/api", params: { scope: undefined } },
  checks: ["state"],
  token: {
    url: "https://api.clickup.com/api/v2/oauth/token",
    auth: "post",
    answer: { access_token: "12345678_f0e1d2c3b4a5968778695a4b3c2d1e0f" },
    refusal: { status: 400, body: { err: "Code already used", ECODE: "OAUTH_014" } },
  },
  api: {
    "GET https://api.clickup.com/api/v2/user": {
      body: {
        user: {
          id: 123,
          username: "John Doe",
          email: "john.doe@example.com",
          color: "#000000",
          profilePicture: "https://attachments-public.clickup.com/profilePictures/123_HoB.jpg",
          initials: "JD",
          week_start_day: 0,
          global_font_support: true,
          timezone: "America/Chicago",
        },
      },
    },
  },
  id: "user.id",
  user: {
    id: "123",
    name: "John Doe",
    email: "john.doe@example.com",
    image: "https://attachments-public.clickup.com/profilePictures/123_HoB.jpg",
  },
  differs: {
    params: "requests no scope, because the provider has none",
    client: "the secret is sent in the request body",
    user: "contains the email address, and the picture as `image`",
  },
} satisfies ProviderCase
