import { type OtherMembers, oidcProvider } from "../provider-kit/define.js"

/** The claims of Roblox's id_token: https://create.roblox.com/docs/cloud/auth/oauth2-reference#get-v1userinfo */
export interface RobloxProfile extends OtherMembers {
  sub: string
  /** The display name, which can change. */
  name: string
  nickname: string
  /** The username, which can change. */
  preferred_username: string
  /** When the account was created, in seconds. */
  created_at: number
  profile: string
  /** Null while the picture is rendered, or if it was moderated. */
  picture: string | null
}

/**
 * Sign-in with Roblox.
 * Console: https://create.roblox.com/dashboard/credentials, OAuth 2.0 Apps
 * - Enable the scopes `openid` and `profile` of the application.
 * - The user has no email address.
 */
const Roblox = oidcProvider<RobloxProfile>("roblox", "Roblox", {
  issuer: "https://apis.roblox.com/oauth/",
  authorization: { params: { scope: "openid profile" } },
  brandColor: "#5865F2",
})

export default Roblox
