import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { assumeBearer } from "../provider-kit/vendor.js"

/**
 * @see
 * https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/#how-do-i-retrieve-the-public-profile-of-the-authenticated-user-
 */
export interface AtlassianProfile extends OtherMembers {
  /** "atlassian" for a user account. */
  account_type: string
  /** The same in all of Atlassian's products. */
  account_id: string
  account_status: string
  email: string
  name: string
  nickname: string
  picture: string
  zoneinfo?: string
  locale?: string
  extended_profile?: { job_title?: string; organization?: string; department?: string; location?: string }
}

/**
 * Sign-in with an Atlassian account (Jira, Confluence).
 * Console: https://developer.atlassian.com/console/myapps/, an OAuth 2.0 integration
 * - Under Permissions, add the User identity API with the scope `read:me`.
 * - Until the app is shared under Distribution, only its owner can sign in.
 * - A refresh token needs the scope `offline_access`.
 * - Atlassian does not document whether email addresses are verified.
 */
const Atlassian = oauthProvider<AtlassianProfile>("atlassian", "Atlassian", {
  authorization: {
    url: "https://auth.atlassian.com/authorize",
    params: { audience: "api.atlassian.com", scope: "read:me" },
  },
  // The documented token response has no token_type.
  token: { url: "https://auth.atlassian.com/oauth/token", conform: assumeBearer },
  userinfo: "https://api.atlassian.com/me",
  checks: ["state"],
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ account_id, name, nickname, email, picture }) => ({
    id: account_id,
    name: firstText(name, nickname),
    email,
    image: picture,
  }),
  apiOrigins: ["https://api.atlassian.com"],
  brandColor: "#fff",
})

export default Atlassian
