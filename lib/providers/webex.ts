import { trimTrailingSlashes } from "../base/text.js"
import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { refusal, repairTokenResponse, withBearerType } from "../provider-kit/vendor.js"

/** The signed-in Webex user: https://developer.webex.com/docs/api/v1/people/get-my-own-details */
export interface WebexProfile extends OtherMembers {
  id: string
  emails: string[]
  displayName?: string
  nickName?: string
  firstName?: string
  lastName?: string
  avatar?: string
  orgId?: string
  created?: string
  lastActivity?: string
  status?: string
  type?: "person" | "bot" | "appuser"
}

/** Options of the factory. */
export type WebexOptions<P> = OAuthUserConfig<P> & {
  /** The base URL of the API, for example of the government cloud. @default "https://webexapis.com/v1" */
  apiBaseUrl?: string | undefined
}

/** Token responses have no token_type. Errors have the format of Webex's API, not of RFC 6749 §5.2. */
const conform = repairTokenResponse((body) => withBearerType(body) ?? refusal("invalid_request", body["message"]))

/**
 * Sign-in with Webex.
 * Console: https://developer.webex.com/my-apps, Integration
 * - The integration needs the scopes `spark:kms` and `spark:people_read`.
 * - The email address is the user's first address. Webex does not document whether email addresses are verified.
 */
export default function Webex<P extends WebexProfile = WebexProfile>(options: WebexOptions<P> = {}): OAuth2Config<P> {
  const base = trimTrailingSlashes(options.apiBaseUrl ?? "https://webexapis.com/v1")
  return oauthProvider<P>("webex", "Webex", {
    authorization: { url: `${base}/authorize`, params: { scope: "spark:kms spark:people_read" } },
    token: { url: `${base}/access_token`, conform },
    userinfo: `${base}/people/me`,
    client: { token_endpoint_auth_method: "client_secret_post" },
    user: ({ id, displayName, emails, avatar }) => ({ id, name: displayName, email: emails?.[0], image: avatar }),
  })(options)
}
