import type { ProviderCase } from "../support/catalogue.js"

/** @see https://github.com/reddit-archive/reddit/wiki/OAuth2 */
export default {
  start: { url: "https://www.reddit.com/api/v1/authorize", params: { scope: "identity" } },
  checks: ["state"],
  token: {
    url: "https://www.reddit.com/api/v1/access_token",
    answer: { access_token: "the-token-of-reddit", token_type: "bearer", expires_in: 86400, scope: "identity" },
    refusal: { status: 200, body: { error: "invalid_grant" } },
  },
  api: {
    "GET https://oauth.reddit.com/api/v1/me": {
      // Reddit rejects requests without a User-Agent.
      sent: { "user-agent": "latchkey" },
      body: {
        id: "0ffff",
        name: "username",
        has_verified_email: true,
        created: 1213716360,
        created_utc: 1213716360,
        icon_img: "https://www.redditstatic.com/avatars/avatar_default_04_7193FF.png",
        snoovatar_img: "",
        comment_karma: 10000,
        link_karma: 5000,
        total_karma: 15000,
        inbox_count: 0,
        has_mail: false,
        over_18: false,
        verified: true,
        is_employee: false,
        is_gold: false,
        is_mod: true,
        is_suspended: false,
        in_beta: false,
      },
    },
  },
  id: "id",
  user: { id: "0ffff", name: "username", email: null, image: null },
} satisfies ProviderCase
