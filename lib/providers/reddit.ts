import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"

/**
 * The signed-in account of Reddit.
 * @see https://www.reddit.com/dev/api/#GET_api_v1_me
 */
export interface RedditProfile {
  /** The account number in base 36: "0ffff". */
  id: string
  name: string
  /** Refers to an address that Reddit shares with no application. */
  has_verified_email: boolean
  /** Seconds since 1970. */
  created: number
  created_utc: number
  /** The picture, escaped for HTML. */
  icon_img: string
  /** The Snoovatar; empty if the user has none. */
  snoovatar_img?: string
  comment_karma: number
  link_karma: number
  total_karma?: number
  inbox_count?: number
  has_mail?: boolean | null
  over_18: boolean
  verified: boolean
  is_employee: boolean
  is_gold: boolean
  is_mod: boolean
  is_suspended: boolean
  // biome-ignore lint/suspicious/noExplicitAny: Reddit returns dozens of undocumented members, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Reddit.
 *
 * Environment: `AUTH_REDDIT_ID`, `AUTH_REDDIT_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/reddit`.
 * Console: https://www.reddit.com/prefs/apps, a web app
 *
 * - No email address.
 * - A token is valid for a day and cannot be renewed. For a permanent one, write `Reddit({ authorization: { params: {
 *   duration: "permanent" } } })`.
 *
 * @example
 * import Reddit from "latchkey/providers/reddit"
 * app.use(authMiddleware({ providers: [Reddit] }))
 */
export default function Reddit<P extends RedditProfile = RedditProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "reddit",
    name: "Reddit",
    type: "oauth",
    checks: ["state"],
    authorization: { url: "https://www.reddit.com/api/v1/authorize", params: { scope: "identity" } },
    token: "https://www.reddit.com/api/v1/access_token",
    userinfo: "https://oauth.reddit.com/api/v1/me",
    style: { brandColor: "#FF4500" },
    options,
  }
}
