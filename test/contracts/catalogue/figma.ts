import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.figma.com/docs/rest-api/authentication/ */
export default {
  start: { url: "https://www.figma.com/oauth", params: { scope: "current_user:read" } },
  checks: ["state"],
  token: {
    url: "https://api.figma.com/v1/oauth/token",
    answer: {
      user_id_string: "1234567890",
      access_token: "figu_an-access-token",
      refresh_token: "figur_a-refresh-token",
      expires_in: 7776000,
    },
    refusal: { status: 400, body: { error: true, status: 400, message: "Invalid code or redirect URI", i18n: null } },
  },
  api: {
    "GET https://api.figma.com/v1/me": {
      body: {
        id: "1234567890",
        email: "nelly@example.com",
        handle: "Nelly",
        img_url: "https://s3-alpha.figma.com/profile/1234567890",
      },
    },
  },
  id: "id",
  user: {
    id: "1234567890",
    name: "Nelly",
    email: "nelly@example.com",
    image: "https://s3-alpha.figma.com/profile/1234567890",
  },
  differs: { params: "requests `current_user:read` instead of the deprecated `files:read`" },
} satisfies ProviderCase
