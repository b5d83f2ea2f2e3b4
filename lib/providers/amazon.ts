import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * A customer's profile.
 * @see https://developer.amazon.com/docs/login-with-amazon/customer-profile.html
 */
export interface AmazonProfile {
  /** Identifies the customer to all applications of one company: "amzn1.account.…". */
  user_id: string
  name?: string
  email?: string
  /** With the scope `postal_code`. */
  postal_code?: string
  [member: string]: unknown
}

/**
 * Sign-in with Amazon ("Login with Amazon").
 *
 * Environment: `AUTH_AMAZON_ID`, `AUTH_AMAZON_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/amazon`; https, or http on localhost.
 * Console: https://developer.amazon.com/loginwithamazon/console/site/lwa/overview.html, Web Settings
 *
 * - Email verification is not documented. No picture.
 *
 * @example
 * import Amazon from "latchkey/providers/amazon"
 * app.use(authMiddleware({ providers: [Amazon] }))
 */
export default function Amazon<P extends AmazonProfile = AmazonProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "amazon",
    name: "Amazon",
    type: "oauth",
    authorization: { url: "https://www.amazon.com/ap/oa", params: { scope: "profile" } },
    token: "https://api.amazon.com/auth/o2/token",
    userinfo: "https://api.amazon.com/user/profile",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ user_id, name, email }) {
      return { id: requireId("Amazon", user_id), name: firstText(name), email: firstText(email), image: null }
    },
    style: { brandColor: "#FF9900" },
    options,
  }
}
