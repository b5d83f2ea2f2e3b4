import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in user of WordPress.com: https://developer.wordpress.com/docs/api/1/get/me/ */
export interface WordPressProfile extends OtherMembers {
  ID: number
  display_name: string
  username: string
  email: string
  email_verified?: boolean
  avatar_URL: string
  profile_URL: string
  primary_blog: number
  language: string
  /** Absent with the scope `auth` alone. */
  token_site_id: number | false
  token_scope: string[]
}

const BASE = "https://public-api.wordpress.com"

/**
 * Sign-in with WordPress.com.
 * Console: https://developer.wordpress.com/apps/
 * - Users sign in with an account of WordPress.com, not of a self-hosted WordPress.
 * - `profile.email_verified` comes from WordPress.com.
 */
const WordPress = oauthProvider<WordPressProfile>("wordpress", "WordPress.com", {
  authorization: { url: `${BASE}/oauth2/authorize`, params: { scope: "auth" } },
  token: `${BASE}/oauth2/token`,
  userinfo: `${BASE}/rest/v1/me`,
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ ID, display_name, username, email, avatar_URL }) => ({
    id: ID,
    name: firstText(display_name, username),
    email,
    image: avatar_URL,
  }),
})

export default WordPress
