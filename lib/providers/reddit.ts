import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in account of Reddit: https://www.reddit.com/dev/api/#GET_api_v1_me */
export interface RedditProfile extends OtherMembers {
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
}

/**
 * Sign-in with Reddit.
 * Console: https://www.reddit.com/prefs/apps, a web app
 * - The user has no email address.
 * - A token is valid for a day and cannot be renewed. For a permanent token, write `Reddit({ authorization: { params: {
 *   duration: "permanent" } } })`.
 */
const Reddit = oauthProvider<RedditProfile>("reddit", "Reddit", {
  checks: ["state"],
  authorization: { url: "https://www.reddit.com/api/v1/authorize", params: { scope: "identity" } },
  token: "https://www.reddit.com/api/v1/access_token",
  revocation: "https://www.reddit.com/api/v1/revoke_token",
  userinfo: "https://oauth.reddit.com/api/v1/me",
  apiOrigins: ["https://oauth.reddit.com"],
  brandColor: "#FF4500",
})

export default Reddit
