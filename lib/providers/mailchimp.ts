import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { asBearer, asItIs, conformBy, firstText, requireId, userinfoFrom } from "./vendor.js"

/**
 * What Mailchimp says of an access token.
 * @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/
 */
export interface MailchimpProfile {
  /** The data centre, which stands in the address of every other call. */
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

/** Tokens come without their type, and with a scope of null where the standard has a text or nothing. */
const conform = conformBy(({ scope, ...answer }) => asBearer(scope === null ? answer : { ...answer, scope }))

/**
 * Sign-in with Mailchimp.
 *
 * Environment: `AUTH_MAILCHIMP_ID`, `AUTH_MAILCHIMP_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/mailchimp`.
 * Console: https://admin.mailchimp.com/account/oauth2/
 *
 * - Mailchimp refuses `localhost` in a redirect URI: use `http://127.0.0.1:3000` for development.
 * - There are no scopes, and tokens do not expire: each may do all that the person may.
 * - The name is the account's, which several people may share; the id is the person's own login.
 * - Mailchimp does not document whether an address is proven, so there is no `profile.email_verified`.
 * - There is no picture.
 *
 * @example
 * import Mailchimp from "latchkey/providers/mailchimp"
 * app.use(authMiddleware({ providers: [Mailchimp] }))
 */
export default function Mailchimp(options: OAuthUserConfig<MailchimpProfile> = {}): OAuth2Config<MailchimpProfile> {
  return {
    id: "mailchimp",
    name: "Mailchimp",
    type: "oauth",
    authorization: { url: "https://login.mailchimp.com/oauth2/authorize", params: { scope: "" } },
    token: { url: "https://login.mailchimp.com/oauth2/token", conform },
    // Mailchimp documents a name of its own for the kind of token.
    userinfo: userinfoFrom("Mailchimp", USER_URL, asItIs<MailchimpProfile>, ({ tokens }) => ({
      headers: { authorization: `OAuth ${tokens.access_token}` },
    })),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ login, accountname }) {
      return {
        id: requireId("Mailchimp", login?.login_id),
        name: firstText(accountname),
        email: firstText(login?.email),
        image: null,
      }
    },
    style: { brandColor: "#000" },
    options,
  }
}
