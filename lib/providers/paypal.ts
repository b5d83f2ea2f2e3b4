import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, identity, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The user information of PayPal's Identity API.
 * @see https://developer.paypal.com/api/identity/v1/userinfo-get/
 */
export interface PayPalProfile {
  /** Identifies the user within one application; a URL. */
  user_id: string
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  middle_name?: string
  picture?: string
  email?: string
  email_verified?: boolean
  locale?: string
  zoneinfo?: string
  phone_number?: string
  /** With the scope `address`. */
  address?: { street_address?: string; locality?: string; region?: string; postal_code?: string; country?: string }
  /**
   * With the scope `https://uri.paypal.com/services/paypalattributes`, as `payer_id`: whether the PayPal account is
   * verified.
   */
  verified_account?: boolean
  payer_id?: string
  account_type?: string
  [member: string]: unknown
}

/** Options of the factory. */
export type PayPalOptions<P> = OAuthUserConfig<P> & {
  /** Use the sandbox, which has its own accounts, client id and secret. @default false */
  sandbox?: boolean | undefined
}

const PATH = "/v1/identity/openidconnect/userinfo?schema=openid"

/**
 * Sign-in with PayPal ("Log in with PayPal").
 *
 * Environment: `AUTH_PAYPAL_ID`, `AUTH_PAYPAL_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/paypal`.
 * Console: https://developer.paypal.com/dashboard/applications, Log in with PayPal, Advanced Settings
 *
 * - Select full name and email address in the Advanced Settings. PayPal must approve a live application.
 * - For the sandbox, set `PayPal({ sandbox: true })` and use a sandbox client.
 * - `profile.payer_id` requires the additional scope `https://uri.paypal.com/services/paypalattributes`.
 *
 * @example
 * import PayPal from "latchkey/providers/paypal"
 * app.use(authMiddleware({ providers: [PayPal] }))
 */
export default function PayPal<P extends PayPalProfile = PayPalProfile>(
  options: PayPalOptions<P> = {},
): OAuth2Config<P> {
  const domain = options.sandbox ? "sandbox.paypal.com" : "paypal.com"
  return {
    id: "paypal",
    name: "PayPal",
    type: "oauth",
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
    profile({ user_id, name, given_name, family_name, email, picture }) {
      return {
        id: requireId("PayPal", user_id),
        name: firstText(name, fullName(given_name, family_name)),
        email: firstText(email),
        image: firstText(picture),
      }
    },
    style: { brandColor: "#003087" },
    options,
  }
}
