import type { ProviderCase } from "../support/catalogue.js"
import { github, githubEmails } from "../support/samples.js"

/** @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export default {
  start: {
    url: "https://github.com/login/oauth/authorize",
    params: { scope: "read:user user:email" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://github.com/login/oauth/access_token",
    answer: {
      access_token: "gho_16C7e42F292c6912E7710c838347Ae178B4a",
      scope: "read:user,user:email",
      token_type: "bearer",
    },
    refusal: {
      status: 200,
      body: {
        error: "bad_verification_code",
        error_description: "The code passed is incorrect or expired.",
        error_uri:
          "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors",
      },
    },
  },
  api: {
    "GET https://api.github.com/user": { body: { ...github, email: null } },
    "GET https://api.github.com/user/emails?per_page=100": { body: githubEmails },
  },
  id: "id",
  emailVerified: true,
  user: { id: "1", name: "monalisa octocat", email: "octocat@github.com", image: github.avatar_url },
} satisfies ProviderCase
