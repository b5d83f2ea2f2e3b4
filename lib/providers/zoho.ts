import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Zoho.
 * @see https://www.zoho.com/accounts/protocol/oauth/use-access-token.html
 */
export interface ZohoProfile {
  ZUID: number
  Email: string
  First_Name: string
  Last_Name: string
  Display_Name: string
  // biome-ignore lint/suspicious/noExplicitAny: Zoho documents no complete list, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Zoho.
 *
 * Environment: `AUTH_ZOHO_ID`, `AUTH_ZOHO_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/zoho`.
 * Console: https://api-console.zoho.com/, Server-based Applications
 *
 * - The default data centre is the United States. For another, set `authorization`, `token` and `userinfo` to its
 *   addresses, for example at `https://accounts.zoho.eu`.
 * - Email verification is not documented.
 *
 * @example
 * import Zoho from "latchkey/providers/zoho"
 * app.use(authMiddleware({ providers: [Zoho] }))
 */
export default function Zoho<P extends ZohoProfile = ZohoProfile>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> {
  const base = "https://accounts.zoho.com/oauth"
  return {
    id: "zoho",
    name: "Zoho",
    type: "oauth",
    authorization: { url: `${base}/v2/auth`, params: { scope: "AaaServer.profile.Read" } },
    token: `${base}/v2/token`,
    userinfo: `${base}/user/info`,
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ ZUID, First_Name, Last_Name, Display_Name, Email }) {
      return {
        id: requireId("Zoho", ZUID),
        name: fullName(First_Name, Last_Name) ?? firstText(Display_Name),
        email: firstText(Email),
        image: null,
      }
    },
    options,
  }
}
