import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse } from "../provider-kit/vendor.js"

/**
 * The user's picture, 50 by 50 pixels by default.
 * @see https://developers.facebook.com/docs/graph-api/reference/profile-picture-source/
 */
export interface FacebookPicture {
  data: {
    height?: number
    width?: number
    /** Whether the picture is the placeholder for users without a picture. */
    is_silhouette?: boolean
    /** The URL expires after some time. */
    url: string
  }
}

/**
 * A user of the Graph API. Members other than `id`, `name`, `email` and `picture` must be requested.
 * @see https://developers.facebook.com/docs/graph-api/reference/user/
 */
export interface FacebookProfile extends OtherMembers {
  /** Specific to this application. Other applications receive another id for the same user. */
  id: string
  name?: string
  first_name?: string
  middle_name?: string
  last_name?: string
  name_format?: string
  short_name?: string
  /** Absent if the user has no address at Facebook or declined to share it. */
  email?: string
  picture?: FacebookPicture
}

/**
 * Converts token errors. Facebook returns `error` as an object; RFC 6749 §5.2 requires a string.
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling/
 */
const conform = repairTokenResponse(({ error }) => {
  const { type, message } = Object(error)
  return refusal(type, message)
})

/**
 * Sign-in with Facebook.
 * Console: https://developers.facebook.com/apps, Facebook Login, Settings
 * - The redirect URI must be https. Plain http works on localhost while the app is in development mode.
 * - Add the permission `email` to the app. A user may have no email address, or may decline to share it.
 * - Facebook does not document whether email addresses are verified.
 * - Leave "Require app secret" off in the app's settings.
 * - For another picture size or more fields, set `userinfo: { params: { fields: "id,name,email,picture.width(400)" }
 *   }`.
 */
const Facebook = oauthProvider<FacebookProfile>("facebook", "Facebook", {
  authorization: { url: "https://www.facebook.com/v25.0/dialog/oauth", params: { scope: "email" } },
  token: { url: "https://graph.facebook.com/oauth/access_token", conform },
  userinfo: { url: "https://graph.facebook.com/me", params: { fields: "id,name,email,picture" } },
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, name, email, picture }) => ({ id, name, email, image: picture?.data?.url }),
  apiOrigins: ["https://graph.facebook.com"],
  brandColor: "#006aff",
})

export default Facebook
