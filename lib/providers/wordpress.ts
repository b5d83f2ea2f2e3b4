import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of WordPress.com.
 * @see https://developer.wordpress.com/docs/api/1/get/me/
 */
export interface WordPressProfile {
  ID: number
  display_name: string
  username: string
  email: string
  /** Whether the address is verified. */
  email_verified?: boolean
  avatar_URL: string
  profile_URL: string
  primary_blog: number
  language: string
  /** Absent with the scope `auth` alone. */
  token_site_id: number | false
  token_scope: string[]
  // biome-ignore lint/suspicious/noExplicitAny: WordPress.com adds members over time, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with WordPress.com.
 *
 * Environment: `AUTH_WORDPRESS_ID`, `AUTH_WORDPRESS_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/wordpress`.
 * Console: https://developer.wordpress.com/apps/
 *
 * - The accounts are those of WordPress.com, not of a self-hosted WordPress.
 * - `profile.email_verified` comes from WordPress.com.
 *
 * @example
 * import WordPress from "latchkey/providers/wordpress"
 * app.use(authMiddleware({ providers: [WordPress] }))
 */
export default function WordPress<P extends WordPressProfile = WordPressProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  const base = "https://public-api.wordpress.com"
  return {
    id: "wordpress",
    name: "WordPress.com",
    type: "oauth",
    authorization: { url: `${base}/oauth2/authorize`, params: { scope: "auth" } },
    token: `${base}/oauth2/token`,
    userinfo: `${base}/rest/v1/me`,
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ ID, display_name, username, email, avatar_URL }) {
      return {
        id: requireId("WordPress.com", ID),
        name: firstText(display_name, username),
        email: firstText(email),
        image: firstText(avatar_URL),
      }
    },
    options,
  }
}
