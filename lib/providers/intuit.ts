import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * Intuit's userinfo, which has non-standard claim names.
 * @see https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/openid-connect
 */
export interface IntuitProfile {
  sub: string
  givenName?: string
  familyName?: string
  email?: string
  emailVerified?: boolean
  /** Added by latchkey: the same as `emailVerified`. */
  email_verified?: boolean
  /** With the scope `phone`. */
  phoneNumber?: string
  phoneNumberVerified?: boolean
  /** With the scope `address`. */
  address?: { streetAddress?: string; locality?: string; region?: string; postalCode?: string; country?: string }
  [claim: string]: unknown
}

/** Options of the factory. */
export type IntuitOptions<P> = OIDCUserConfig<P> & {
  /** Use the sandbox, to which development keys belong. @default false */
  sandbox?: boolean | undefined
}

const DISCOVERY = "https://developer.api.intuit.com/.well-known"
const PATH = "platform.intuit.com/v1/openid_connect/userinfo"

const toProfile = <P extends IntuitProfile>(user: P): P => ({ ...user, email_verified: user.emailVerified === true })

/**
 * Sign-in with Intuit (QuickBooks).
 *
 * Environment: `AUTH_INTUIT_ID`, `AUTH_INTUIT_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/intuit`; https, or http on localhost with development keys.
 * Console: https://developer.intuit.com/app/developer/dashboard, Keys & credentials
 *
 * - With development keys, use the sandbox: `Intuit({ sandbox: true })`.
 * - `profile.email_verified` comes from Intuit's `emailVerified`. No picture.
 *
 * @example
 * import Intuit from "latchkey/providers/intuit"
 * app.use(authMiddleware({ providers: [Intuit] }))
 */
export default function Intuit<P extends IntuitProfile = IntuitProfile>(options: IntuitOptions<P> = {}): OIDCConfig<P> {
  const { sandbox = false } = options
  return {
    id: "intuit",
    name: "Intuit",
    type: "oidc",
    issuer: "https://oauth.platform.intuit.com/op/v1",
    wellKnown: `${DISCOVERY}/${sandbox ? "openid_sandbox_configuration" : "openid_configuration"}`,
    userinfo: userinfoFrom<P>("Intuit", `https://${sandbox ? "sandbox-accounts" : "accounts"}.${PATH}`, toProfile),
    // PKCE and nonce are not documented.
    checks: ["state"],
    idToken: false,
    profile({ sub, givenName, familyName, email }) {
      return {
        id: requireId("Intuit", sub),
        name: fullName(givenName, familyName),
        email: firstText(email),
        image: null,
      }
    },
    style: { brandColor: "#236CFF" },
    options,
  }
}
