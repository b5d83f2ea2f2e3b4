import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in user of osu!: https://osu.ppy.sh/docs/#userextended */
export interface OsuProfile extends OtherMembers {
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
}

/**
 * Sign-in with osu!.
 * Console: https://osu.ppy.sh/home/account/edit#oauth, New OAuth Application
 * - The user has no email address.
 */
const Osu = oauthProvider<OsuProfile>("osu", "osu!", {
  authorization: { url: "https://osu.ppy.sh/oauth/authorize", params: { scope: "identify" } },
  token: "https://osu.ppy.sh/oauth/token",
  userinfo: "https://osu.ppy.sh/api/v2/me",
  user: ({ id, username, avatar_url }) => ({ id, name: username, image: avatar_url }),
})

export default Osu
