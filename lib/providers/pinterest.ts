import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse } from "../provider-kit/vendor.js"

/** The signed-in user's account at Pinterest: https://developers.pinterest.com/docs/api/v5/user_account-get */
export interface PinterestProfile extends OtherMembers {
  id: string
  /** The user can change this name, and another user can then take the old name. */
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
}

/**
 * Converts Pinterest's errors, which consist of a number and a message, to those of RFC 6749 §5.2.
 * @see https://developers.pinterest.com/docs/api/v5/oauth-token
 */
const conform = repairTokenResponse(({ access_token, code, message }) =>
  access_token ? undefined : refusal(code, message),
)

/**
 * Sign-in with Pinterest.
 * Console: https://developers.pinterest.com/apps/
 * - The user has no email address.
 * - The account id is Pinterest's `id`. Auth.js uses the user name, which can be reassigned to another user. For
 *   accounts stored by Auth.js, set your own `profile` that returns `username` as the id.
 */
const Pinterest = oauthProvider<PinterestProfile>("pinterest", "Pinterest", {
  authorization: { url: "https://www.pinterest.com/oauth", params: { scope: "user_accounts:read" } },
  token: { url: "https://api.pinterest.com/v5/oauth/token", conform },
  userinfo: "https://api.pinterest.com/v5/user_account",
  user: ({ id, username, profile_image }) => ({ id, name: username, image: profile_image }),
  apiOrigins: ["https://api.pinterest.com"],
  brandColor: "#bd081c",
})

export default Pinterest
