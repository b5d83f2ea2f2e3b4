import { isPlainObject } from "../merge.js"
import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { asBearer, conformBy, firstText, refusal, requireId, userinfoFrom } from "./vendor.js"

/**
 * A professional account, as the Instagram API with Instagram Login shows it.
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started
 */
export interface InstagramProfile {
  /** Of this application: another one sees another id of the same account. */
  id: string
  /** The account's own id, the same for every application. */
  user_id?: string
  username: string
  name?: string
  account_type?: string
  /** Absent for an account without a picture; the address is good for some time only. */
  profile_picture_url?: string
  followers_count?: number
  follows_count?: number
  media_count?: number
  // biome-ignore lint/suspicious/noExplicitAny: which fields come is the application's choice, as in the contract
  [field: string]: any
}

const USER_URL =
  "https://graph.instagram.com/me?fields=id%2Cuser_id%2Cusername%2Cname%2Caccount_type%2Cprofile_picture_url"

/** Instagram documents lists of one where it answers with the one itself as well. */
function onlyOf(answer: unknown): unknown {
  const list: unknown = isPlainObject(answer) ? answer["data"] : undefined
  return Array.isArray(list) ? list[0] : answer
}

/** Tokens come without their type, and what Instagram says to a code that it does not take has names of its own. */
const conform = conformBy((answer) => {
  const only = onlyOf(answer)
  if (!isPlainObject(only)) return undefined
  return asBearer(only) ?? refusal(only["error_type"], only["error_message"])
})

/**
 * Sign-in with an Instagram business or creator account.
 *
 * Environment: `AUTH_INSTAGRAM_ID`, `AUTH_INSTAGRAM_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/instagram`.
 * Console: https://developers.facebook.com/apps, Instagram, API setup with Instagram login
 *
 * - `AUTH_INSTAGRAM_ID` and `AUTH_INSTAGRAM_SECRET` are the Instagram app's, which differ from those of the Meta app
 *   around it.
 * - Only professional accounts can sign in, businesses and creators. For personal ones there is nothing since Meta
 *   closed the Basic Display API in December 2024.
 * - Instagram takes https only.
 * - There is no e-mail address.
 *
 * @example
 * import Instagram from "latchkey/providers/instagram"
 * app.use(authMiddleware({ providers: [Instagram] }))
 */
export default function Instagram<P extends InstagramProfile = InstagramProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "instagram",
    name: "Instagram",
    type: "oauth",
    authorization: {
      url: "https://www.instagram.com/oauth/authorize",
      params: { scope: "instagram_business_basic" },
    },
    token: { url: "https://api.instagram.com/oauth/access_token", conform },
    // As documented; profile() requires the one member that matters.
    userinfo: userinfoFrom<P>("Instagram", USER_URL, (answer) => onlyOf(answer) as P),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, username, name, profile_picture_url }) {
      return {
        id: requireId("Instagram", id),
        name: firstText(username, name),
        email: null,
        image: firstText(profile_picture_url),
      }
    },
    style: { brandColor: "#fff" },
    options,
  }
}
