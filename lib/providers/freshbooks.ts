import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user, in FreshBooks' response envelope.
 * @see https://www.freshbooks.com/api/me_endpoint
 */
export interface FreshbooksProfile {
  response: {
    id: number
    first_name?: string | null
    last_name?: string | null
    email: string
    language?: string
    created_at?: string
    /** The user's businesses, with the ids that other API calls need. */
    business_memberships?: { id: number; role: string; business: { id: number; name: string; account_id: string } }[]
    [member: string]: unknown
  }
  [member: string]: unknown
}

/**
 * Sign-in with FreshBooks.
 *
 * Environment: `AUTH_FRESHBOOKS_ID`, `AUTH_FRESHBOOKS_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/freshbooks`.
 * Console: https://my.freshbooks.com/#/developer
 *
 * - The redirect URI must be https.
 * - Enable the scope `user:profile:read` on the app. No scope is sent; the app's scopes apply.
 * - Email verification is not documented. No picture.
 *
 * @example
 * import Freshbooks from "latchkey/providers/freshbooks"
 * app.use(authMiddleware({ providers: [Freshbooks] }))
 */
export default function Freshbooks(options: OAuthUserConfig<FreshbooksProfile> = {}): OAuth2Config<FreshbooksProfile> {
  return {
    id: "freshbooks",
    name: "Freshbooks",
    type: "oauth",
    authorization: { url: "https://auth.freshbooks.com/oauth/authorize", params: { scope: "" } },
    token: "https://api.freshbooks.com/auth/oauth/token",
    userinfo: "https://api.freshbooks.com/auth/api/v1/users/me",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ response: person }) {
      return {
        id: requireId("Freshbooks", person?.id),
        name: fullName(person?.first_name, person?.last_name),
        email: firstText(person?.email),
        image: null,
      }
    },
    style: { brandColor: "#0075dd" },
    options,
  }
}
