import { isPlainObject } from "../base/merge.js"
import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse, userinfoFrom, withBearerType } from "../provider-kit/vendor.js"

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started */
export interface InstagramProfile extends OtherMembers {
  /** Specific to this application. Other applications receive another id for the same account. */
  id: string
  /** The account's id, which is the same for every application. */
  user_id?: string
  username: string
  name?: string
  account_type?: string
  /** Absent for an account without a picture. The address expires after some time. */
  profile_picture_url?: string
  followers_count?: number
  follows_count?: number
  media_count?: number
}

const USER_URL =
  "https://graph.instagram.com/me?fields=id%2Cuser_id%2Cusername%2Cname%2Caccount_type%2Cprofile_picture_url"

/**
 * Returns the element of the documented list, which has one element. Instagram also returns this element without the
 * list.
 */
function unwrapList(body: unknown): unknown {
  const list: unknown = isPlainObject(body) ? body["data"] : undefined
  return Array.isArray(list) ? list[0] : body
}

/** Token responses have no token_type, and errors have Instagram's own format. */
const conform = repairTokenResponse((body) => {
  const element = unwrapList(body)
  if (!isPlainObject(element)) return undefined
  return withBearerType(element) ?? refusal(element["error_type"], element["error_message"])
})

/**
 * Sign-in with an Instagram business or creator account.
 * Console: https://developers.facebook.com/apps, Instagram, API setup with Instagram login
 * - `AUTH_INSTAGRAM_ID` and `AUTH_INSTAGRAM_SECRET` belong to the Instagram app, not to the Meta app that contains it.
 * - Only professional accounts (business and creator) can sign in.
 * - The redirect URI must be https.
 * - The user has no email address.
 */
const Instagram = oauthProvider<InstagramProfile>("instagram", "Instagram", {
  authorization: {
    url: "https://www.instagram.com/oauth/authorize",
    params: { scope: "instagram_business_basic" },
  },
  token: { url: "https://api.instagram.com/oauth/access_token", conform },
  // The cast is to the documented type. `profile` checks the id, the only required member.
  userinfo: userinfoFrom<InstagramProfile>("Instagram", USER_URL, (body) => unwrapList(body) as InstagramProfile),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, username, name, profile_picture_url }) => ({
    id,
    name: firstText(username, name),
    image: profile_picture_url,
  }),
  apiOrigins: ["https://graph.instagram.com"],
  brandColor: "#fff",
})

export default Instagram
