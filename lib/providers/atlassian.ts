import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { assumeBearer, firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Atlassian's User Identity API.
 * @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/#how-do-i-retrieve-the-public-profile-of-the-authenticated-user-
 */
export interface AtlassianProfile {
  /** "atlassian" for a user account. */
  account_type: string
  /** The same in all of Atlassian's products. */
  account_id: string
  account_status: string
  email: string
  name: string
  nickname: string
  picture: string
  zoneinfo?: string
  locale?: string
  extended_profile?: {
    job_title?: string
    organization?: string
    department?: string
    location?: string
  }
  // biome-ignore lint/suspicious/noExplicitAny: Atlassian adds members over time, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with an Atlassian account (Jira, Confluence).
 *
 * Environment: `AUTH_ATLASSIAN_ID`, `AUTH_ATLASSIAN_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/atlassian`.
 * Console: https://developer.atlassian.com/console/myapps/, an OAuth 2.0 integration
 *
 * - Under Permissions, add the User identity API with the scope `read:me`.
 * - Until the app is shared under Distribution, only its owner can sign in.
 * - A refresh token needs the scope `offline_access`.
 * - Email verification is not documented.
 *
 * @example
 * import Atlassian from "latchkey/providers/atlassian"
 * app.use(authMiddleware({ providers: [Atlassian] }))
 */
export default function Atlassian<P extends AtlassianProfile = AtlassianProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "atlassian",
    name: "Atlassian",
    type: "oauth",
    authorization: {
      url: "https://auth.atlassian.com/authorize",
      params: { audience: "api.atlassian.com", scope: "read:me" },
    },
    // The documented token response has no token_type.
    token: { url: "https://auth.atlassian.com/oauth/token", conform: assumeBearer },
    userinfo: "https://api.atlassian.com/me",
    checks: ["state"],
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ account_id, name, nickname, email, picture }) {
      return {
        id: requireId("Atlassian", account_id),
        name: firstText(name, nickname),
        email: firstText(email),
        image: firstText(picture),
      }
    },
    style: { brandColor: "#fff" },
    options,
  }
}
