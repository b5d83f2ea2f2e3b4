import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, refusal, repairTokenResponse, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user's account at Pinterest.
 * @see https://developers.pinterest.com/docs/api/v5/user_account-get
 */
export interface PinterestProfile {
  id: string
  /** The user can change it, and another user can then take it. */
  username: string
  account_type: "PINNER" | "BUSINESS"
  profile_image: string
  website_url: string
  about: string
  business_name: string | null
  board_count: number
  pin_count: number
  follower_count: number
  following_count: number
  monthly_views: number
  // biome-ignore lint/suspicious/noExplicitAny: Pinterest adds members over time, as in Auth.js
  [member: string]: any
}

/**
 * Pinterest's errors consist of a number and a message.
 * @see https://developers.pinterest.com/docs/api/v5/oauth-token
 */
const conform = repairTokenResponse(({ access_token, code, message }) =>
  access_token ? undefined : refusal(code, message),
)

/**
 * Sign-in with Pinterest.
 *
 * Environment: `AUTH_PINTEREST_ID`, `AUTH_PINTEREST_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/pinterest`.
 * Console: https://developers.pinterest.com/apps/
 *
 * - No email address.
 * - The account id is Pinterest's `id`. Auth.js uses the user name, which can be reassigned to another user. For
 *   accounts stored by Auth.js, set your own `profile` that returns `username` as the id.
 *
 * @example
 * import Pinterest from "latchkey/providers/pinterest"
 * app.use(authMiddleware({ providers: [Pinterest] }))
 */
export default function Pinterest<P extends PinterestProfile = PinterestProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "pinterest",
    name: "Pinterest",
    type: "oauth",
    authorization: { url: "https://www.pinterest.com/oauth", params: { scope: "user_accounts:read" } },
    token: { url: "https://api.pinterest.com/v5/oauth/token", conform },
    userinfo: "https://api.pinterest.com/v5/user_account",
    profile({ id, username, profile_image }) {
      return { id: requireId("Pinterest", id), name: firstText(username), email: null, image: firstText(profile_image) }
    },
    style: { brandColor: "#bd081c" },
    options,
  }
}
