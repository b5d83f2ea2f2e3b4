import { firstText, fullName, oauthProvider, type StandardClaims } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { identity, userinfoFrom } from "../provider-kit/vendor.js"

/** The user information of PayPal's Identity API: https://developer.paypal.com/api/identity/v1/userinfo-get/ */
export interface PayPalProfile extends StandardClaims {
  /** Identifies the user within one application; a URL. */
  user_id: string
  /** Requires the scope `address`. */
  address?: { street_address?: string; locality?: string; region?: string; postal_code?: string; country?: string }
  /**
   * Whether the PayPal account is verified. This member and `payer_id` require the scope
   * `https://uri.paypal.com/services/paypalattributes`.
   */
  verified_account?: boolean
  payer_id?: string
  account_type?: string
}

/** Options of the factory. */
export type PayPalOptions<P> = OAuthUserConfig<P> & {
  /** Whether to use the sandbox, which has its own accounts, client id and secret. @default false */
  sandbox?: boolean | undefined
}

const PATH = "/v1/identity/openidconnect/userinfo?schema=openid"

/**
 * Sign-in with PayPal ("Log in with PayPal").
 * Console: https://developer.paypal.com/dashboard/applications, Log in with PayPal, Advanced Settings
 * - Select full name and email address in the Advanced Settings. PayPal must approve a live application.
 * - For the sandbox, set `PayPal({ sandbox: true })` and use a sandbox client.
 * - `profile.payer_id` requires the additional scope `https://uri.paypal.com/services/paypalattributes`.
 */
export default function PayPal<P extends PayPalProfile = PayPalProfile>(
  options: PayPalOptions<P> = {},
): OAuth2Config<P> {
  const domain = options.sandbox ? "sandbox.paypal.com" : "paypal.com"
  return oauthProvider<P>("paypal", "PayPal", {
    authorization: {
      url: `https://www.${domain}/signin/authorize`,
      params: { flowEntry: "static", scope: "openid profile email" },
    },
    token: `https://api-m.${domain}/v1/oauth2/token`,
    userinfo: userinfoFrom("PayPal", `https://api-m.${domain}${PATH}`, identity<P>, {
      // PayPal documents this header, although the request has no body.
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
    // PKCE is not documented.
    checks: ["state"],
    user: ({ user_id, name, given_name, family_name, email, picture }) => ({
      id: user_id,
      name: firstText(name, fullName(given_name, family_name)),
      email,
      image: picture,
    }),
    brandColor: "#003087",
  })(options)
}
