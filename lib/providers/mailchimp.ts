import { oauthProvider } from "../provider-kit/define.js"
import { identity, repairTokenResponse, userinfoFrom, withBearerType } from "../provider-kit/vendor.js"

/** @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/ */
export interface MailchimpProfile {
  /** The data centre, part of the URL of every other API call. */
  dc: string
  role: string
  accountname: string
  user_id: number
  login: { login_id: number; login_name?: string; email?: string; login_email?: string; avatar?: string | null }
  login_url: string
  api_endpoint: string
  [member: string]: unknown
}

const USER_URL = "https://login.mailchimp.com/oauth2/metadata"

/** Token responses have no token_type, and their scope is null. */
const conform = repairTokenResponse(({ scope, ...body }) => withBearerType(scope === null ? body : { ...body, scope }))

/**
 * Sign-in with Mailchimp.
 * Console: https://admin.mailchimp.com/account/oauth2/
 * - Mailchimp rejects `localhost` in a redirect URI. Use `http://127.0.0.1:3000` for development.
 * - There are no scopes. Tokens do not expire and have all rights of the user.
 * - The user's name is the name of the Mailchimp account, which several users can share. The id is the user's login id.
 * - Mailchimp does not document whether email addresses are verified. The user has no picture.
 */
const Mailchimp = oauthProvider<MailchimpProfile>("mailchimp", "Mailchimp", {
  authorization: { url: "https://login.mailchimp.com/oauth2/authorize", params: { scope: "" } },
  token: { url: "https://login.mailchimp.com/oauth2/token", conform },
  // Mailchimp documents its own authorization scheme instead of Bearer.
  userinfo: userinfoFrom("Mailchimp", USER_URL, identity<MailchimpProfile>, ({ tokens }) => ({
    headers: { authorization: `OAuth ${tokens.access_token}` },
  })),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ login, accountname }) => ({ id: login?.login_id, name: accountname, email: login?.email }),
  brandColor: "#000",
})

export default Mailchimp
