import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { conformBy, firstText, refusal, requireId } from "./vendor.js"

/**
 * The person's picture, by default of 50 by 50 pixels.
 * @see https://developers.facebook.com/docs/graph-api/reference/profile-picture-source/
 */
export interface FacebookPicture {
  data: {
    height?: number
    width?: number
    /** Is it the drawn one that Facebook shows for somebody without one? */
    is_silhouette?: boolean
    /** Good for some time only. */
    url: string
  }
}

/**
 * A person as the Graph API shows them. More than `id`, `name`, `email` and `picture` comes when it is asked for.
 * @see https://developers.facebook.com/docs/graph-api/reference/user/
 */
export interface FacebookProfile {
  /** Of this application: another one sees another id of the same person. */
  id: string
  name?: string
  first_name?: string
  middle_name?: string
  last_name?: string
  name_format?: string
  short_name?: string
  /** Absent for those who gave Facebook none, or did not let it be passed on. */
  email?: string
  picture?: FacebookPicture
  // biome-ignore lint/suspicious/noExplicitAny: which fields come is the application's choice, as in the contract
  [field: string]: any
}

/**
 * What Facebook says to a code that it does not take is an object, where the standard has a text.
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling/
 */
const conform = conformBy(({ error }) => {
  const { type, message } = Object(error)
  return refusal(type, message)
})

/**
 * Sign-in with Facebook.
 *
 * Environment: `AUTH_FACEBOOK_ID`, `AUTH_FACEBOOK_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/facebook`.
 * Console: https://developers.facebook.com/apps, Facebook Login, Settings
 *
 * - Facebook takes https only; on localhost plain http does while the app is in development mode.
 * - The permission `email` must be added to the app. Somebody may have no address or hold it back: that user has none.
 * - Facebook does not document whether an address is proven, so there is no `profile.email_verified`.
 * - Leave "Require app secret" off in the app's settings: the call for the profile carries no proof of the secret.
 * - Another picture or more fields: `userinfo: { params: { fields: "id,name,email,picture.width(400)" } }`.
 *
 * @example
 * import Facebook from "latchkey/providers/facebook"
 * app.use(authMiddleware({ providers: [Facebook] }))
 */
export default function Facebook<P extends FacebookProfile = FacebookProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "facebook",
    name: "Facebook",
    type: "oauth",
    authorization: { url: "https://www.facebook.com/v25.0/dialog/oauth", params: { scope: "email" } },
    token: { url: "https://graph.facebook.com/oauth/access_token", conform },
    userinfo: { url: "https://graph.facebook.com/me", params: { fields: "id,name,email,picture" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, name, email, picture }) {
      return {
        id: requireId("Facebook", id),
        name: firstText(name),
        email: firstText(email),
        image: firstText(picture?.data?.url),
      }
    },
    style: { brandColor: "#006aff" },
    options,
  }
}
