import type { ProviderCase } from "../support/catalogue.js"

const ACCOUNT = "9626f4441d7a4d6d8d2f4c1b0a9e8d7c"

/** @see https://dev.epicgames.com/docs/web-api-ref/authentication */
export default {
  start: { url: "https://www.epicgames.com/id/authorize", params: { scope: "basic_profile" } },
  checks: ["state"],
  token: {
    url: "https://api.epicgames.dev/epic/oauth/v2/token",
    answer: {
      scope: "basic_profile",
      token_type: "bearer",
      access_token: "eyJhbGciOi.epic.example",
      expires_in: 7200,
      // Epic sends a date as text. The account has seconds, which are computed from expires_in.
      expires_at: "2026-11-21T20:30:00.000Z",
      refresh_token: "eyJhbGciOi.epic.refresh",
      refresh_expires_in: 28800,
      refresh_expires_at: "2026-11-22T02:30:00.000Z",
      account_id: ACCOUNT,
      client_id: "the-client",
      application_id: "fghi4567",
    },
  },
  api: {
    "GET https://api.epicgames.dev/epic/oauth/v2/userInfo": { body: { sub: ACCOUNT, preferred_username: "Jonesy" } },
  },
  id: "sub",
  user: { id: ACCOUNT, name: "Jonesy", email: null, image: null },
} satisfies ProviderCase
