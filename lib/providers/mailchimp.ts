import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import {
  firstText,
  identity,
  repairTokenResponse,
  requireId,
  userinfoFrom,
  withBearerType,
} from "../provider-kit/vendor.js"

/**
 * Mailchimp's metadata of an access token.
 * @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/
 */
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
const conform = repairTokenResponse(({ scope, ...answer }) =>
  withBearerType(scope === null ? answer : { ...answer, scope }),
)

/**
 * Sign-in with Mailchimp.
 *
 * Environment: `AUTH_MAILCHIMP_ID`, `AUTH_MAILCHIMP_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/mailchimp`.
 * Console: https://admin.mailchimp.com/account/oauth2/
 *
 * - Mailchimp rejects `localhost` in a redirect URI. Use `http://127.0.0.1:3000` for development.
 * - There are no scopes. Tokens do not expire and have all rights of the user.
 * - The name is that of the Mailchimp account, which several users can share. The id is the user's login id.
 * - Email verification is not documented. No picture.
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
    // Mailchimp documents its own token_type.
    userinfo: userinfoFrom("Mailchimp", USER_URL, identity<MailchimpProfile>, ({ tokens }) => ({
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
