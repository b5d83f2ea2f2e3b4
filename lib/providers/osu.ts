import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of osu!.
 * @see https://osu.ppy.sh/docs/#userextended
 */
export interface OsuProfile {
  id: number
  username: string
  avatar_url: string
  country_code: string
  default_group: string
  is_active: boolean
  is_bot: boolean
  is_deleted: boolean
  is_online: boolean
  is_supporter: boolean
  /** Whether the account is restricted. Restricted users can still sign in. */
  is_restricted: boolean
  last_visit: string | null
  pm_friends_only: boolean
  profile_colour: string | null
  join_date: string
  playmode: string
  country: { code: string; name: string }
  // biome-ignore lint/suspicious/noExplicitAny: there are dozens of members about the game, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with osu!.
 *
 * Environment: `AUTH_OSU_ID`, `AUTH_OSU_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/osu`.
 * Console: https://osu.ppy.sh/home/account/edit#oauth, New OAuth Application
 *
 * - No email address.
 *
 * @example
 * import Osu from "latchkey/providers/osu"
 * app.use(authMiddleware({ providers: [Osu] }))
 */
export default function Osu<P extends OsuProfile = OsuProfile>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> {
  return {
    id: "osu",
    name: "osu!",
    type: "oauth",
    authorization: { url: "https://osu.ppy.sh/oauth/authorize", params: { scope: "identify" } },
    token: "https://osu.ppy.sh/oauth/token",
    userinfo: "https://osu.ppy.sh/api/v2/me",
    profile({ id, username, avatar_url }) {
      return { id: requireId("osu!", id), name: firstText(username), email: null, image: firstText(avatar_url) }
    },
    options,
  }
}
