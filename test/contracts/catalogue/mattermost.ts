import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.mattermost.com/integrate/apps/authentication/oauth2/ */
export default {
  options: { issuer: "https://mattermost.example.com" },
  start: { url: "https://mattermost.example.com/oauth/authorize" },
  checks: ["pkce", "state"],
  token: {
    url: "https://mattermost.example.com/oauth/access_token",
    auth: "post",
    answer: {
      access_token: "9xuqwrwgstrb3mzrxb83nb357a",
      token_type: "bearer",
      expires_in: 2592000,
      scope: "user",
      refresh_token: "dr4oa7hqpjy8pgbmhrcq9a1b3c",
    },
    refusal: {
      status: 400,
      body: {
        id: "api.oauth.get_access_token.expired_code.app_error",
        message: "invalid_grant: Invalid or expired authorization code.",
        detailed_error: "",
        request_id: "kxkiw7mw57gkmxk5q8kxkx7j3w",
        status_code: 400,
      },
    },
  },
  api: {
    "GET https://mattermost.example.com/api/v4/users/me": {
      body: {
        id: "4xp9fdt77pncbef59f4k1qe83o",
        create_at: 1617898920000,
        update_at: 1617898920000,
        delete_at: 0,
        username: "nelly",
        first_name: "Nelly",
        last_name: "Example",
        nickname: "",
        email: "nelly@example.com",
        email_verified: true,
        auth_service: "",
        roles: "system_user",
        locale: "en",
        notify_props: { email: "true", push: "mention", desktop: "mention", mention_keys: "nelly", channel: "true" },
        props: {},
        last_password_update: 1617898920000,
        last_picture_update: 0,
        failed_attempts: 0,
        mfa_active: false,
        timezone: { useAutomaticTimezone: "true", manualTimezone: "", automaticTimezone: "Europe/Berlin" },
      },
    },
  },
  id: "id",
  emailVerified: true,
  user: { id: "4xp9fdt77pncbef59f4k1qe83o", name: "nelly", email: "nelly@example.com", image: null },
  also: [{ profile: { id: "1", first_name: "Nelly", last_name: "Example" }, user: { name: "Nelly Example" } }],
  differs: {
    issuer: "is the server URL; the provider of Auth.js has no issuer",
    params: "requests no scope, because the provider has none",
  },
} satisfies ProviderCase
