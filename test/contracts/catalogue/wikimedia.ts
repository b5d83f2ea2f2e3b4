import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.mediawiki.org/wiki/OAuth/For_Developers#OAuth_2 */
export default {
  start: { url: "https://meta.wikimedia.org/w/rest.php/oauth2/authorize" },
  checks: ["pkce", "state"],
  token: {
    url: "https://meta.wikimedia.org/w/rest.php/oauth2/access_token",
    answer: {
      token_type: "Bearer",
      expires_in: 14400,
      access_token: "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
      refresh_token: "def50200ea3b",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "The provided authorization grant is invalid, expired or revoked.",
        hint: "Authorization code has expired",
        message: "The provided authorization grant is invalid, expired or revoked.",
      },
    },
  },
  api: {
    "GET https://meta.wikimedia.org/w/rest.php/oauth2/resource/profile": {
      body: {
        sub: 12345678,
        username: "Example user",
        editcount: 4321,
        confirmed_email: true,
        blocked: false,
        registered: "20070115102030",
        groups: ["*", "user", "autoconfirmed"],
        rights: ["createaccount", "read", "edit"],
        grants: ["mwoauth-authonlyprivate"],
        realname: "Example User",
        email: "user@example.org",
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: "12345678", name: "Example user", email: "user@example.org", image: null },
} satisfies ProviderCase
