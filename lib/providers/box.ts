import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in user of Box: https://developer.box.com/reference/get-users-me/ */
export interface BoxProfile extends OtherMembers {
  id: string
  type: string
  name: string
  /** The primary email address. */
  login: string
  avatar_url: string
  created_at: string
  modified_at: string
  language: string
  timezone: string
  status: string
  job_title: string
  phone: string
  address: string
}

/**
 * Sign-in with Box.
 * Console: https://app.box.com/developers/console, a custom app with user authentication (OAuth 2.0)
 * - latchkey sends no scope, so all scopes of the app apply.
 * - The email address is the `login` of the profile. Box does not document whether email addresses are verified.
 */
const Box = oauthProvider<BoxProfile>("box", "Box", {
  authorization: { url: "https://account.box.com/api/oauth2/authorize", params: { scope: "" } },
  token: "https://api.box.com/oauth2/token",
  revocation: "https://api.box.com/oauth2/revoke",
  userinfo: "https://api.box.com/2.0/users/me",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, name, login, avatar_url }) => ({ id, name: firstText(name, login), email: login, image: avatar_url }),
  apiOrigins: ["https://api.box.com", "https://upload.box.com"],
  brandColor: "#0075C9",
})

export default Box
