import type { ProviderCase } from "../support/catalogue.js"
import { gitlab } from "../support/samples.js"

/** @see https://docs.gitlab.com/api/oauth2/#authorization-code-flow */
export default {
  start: { url: "https://gitlab.com/oauth/authorize", params: { scope: "read_user" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://gitlab.com/oauth/token",
    answer: {
      access_token: "de6780bc506a0446309bd9362820ba8aed28aa506c71eedbe1c5c4f9dd350e54",
      token_type: "bearer",
      expires_in: 7200,
      refresh_token: "8257e65c97202ed1726cf9571600918f3bffb2544b26e00a61df9897668c33a1",
      created_at: 1607635748,
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
  api: { "GET https://gitlab.com/api/v4/user": { body: gitlab } },
  id: "id",
  emailVerified: true,
  user: { id: "1", name: "John Smith", email: "john@example.com", image: gitlab.avatar_url },
} satisfies ProviderCase
