import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in user of Netlify's API: https://open-api.netlify.com/#tag/user/operation/getCurrentUser */
export interface NetlifyProfile extends OtherMembers {
  id: string
  uid?: string
  full_name?: string
  avatar_url?: string
  email?: string
  affiliate_id?: string
  site_count?: number
  created_at?: string
  last_login?: string
  login_providers?: string[]
}

/**
 * Sign-in with Netlify.
 * Console: https://app.netlify.com/user/applications, OAuth applications
 * - There are no scopes. A token has all rights of the user.
 * - Netlify does not document whether email addresses are verified.
 */
const Netlify = oauthProvider<NetlifyProfile>("netlify", "Netlify", {
  authorization: { url: "https://app.netlify.com/authorize", params: { scope: "" } },
  token: "https://api.netlify.com/oauth/token",
  userinfo: "https://api.netlify.com/api/v1/user",
  user: ({ id, full_name, email, avatar_url }) => ({ id, name: full_name, email, image: avatar_url }),
  brandColor: "#32e6e2",
})

export default Netlify
