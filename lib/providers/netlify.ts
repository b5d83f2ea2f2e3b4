import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Netlify's API.
 * @see https://open-api.netlify.com/#tag/user/operation/getCurrentUser
 */
export interface NetlifyProfile {
  id: string
  uid?: string
  full_name?: string
  avatar_url?: string
  email?: string
  affiliate_id?: string
  site_count?: number
  created_at?: string
  last_login?: string
  login_providers?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: Netlify returns more than it documents, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Netlify.
 *
 * Environment: `AUTH_NETLIFY_ID`, `AUTH_NETLIFY_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/netlify`.
 * Console: https://app.netlify.com/user/applications, OAuth applications
 *
 * - There are no scopes. A token has all rights of the user.
 * - Email verification is not documented.
 *
 * @example
 * import Netlify from "latchkey/providers/netlify"
 * app.use(authMiddleware({ providers: [Netlify] }))
 */
export default function Netlify<P extends NetlifyProfile = NetlifyProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "netlify",
    name: "Netlify",
    type: "oauth",
    authorization: { url: "https://app.netlify.com/authorize", params: { scope: "" } },
    token: "https://api.netlify.com/oauth/token",
    userinfo: "https://api.netlify.com/api/v1/user",
    profile({ id, full_name, email, avatar_url }) {
      return {
        id: requireId("Netlify", id),
        name: firstText(full_name),
        email: firstText(email),
        image: firstText(avatar_url),
      }
    },
    style: { brandColor: "#32e6e2" },
    options,
  }
}
