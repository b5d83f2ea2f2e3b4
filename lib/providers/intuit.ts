import { fullName, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

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
  /** Requires the scope `phone`. */
  phoneNumber?: string
  phoneNumberVerified?: boolean
  /** Requires the scope `address`. */
  address?: { streetAddress?: string; locality?: string; region?: string; postalCode?: string; country?: string }
  [claim: string]: unknown
}

/** Options of the factory. */
export type IntuitOptions<P> = OIDCUserConfig<P> & {
  /** Whether to use the sandbox, which development keys require. @default false */
  sandbox?: boolean | undefined
}

const DISCOVERY = "https://developer.api.intuit.com/.well-known"
const PATH = "platform.intuit.com/v1/openid_connect/userinfo"

const toProfile = <P extends IntuitProfile>(user: P): P => ({ ...user, email_verified: user.emailVerified === true })

/**
 * Sign-in with Intuit (QuickBooks).
 * Console: https://developer.intuit.com/app/developer/dashboard, Keys & credentials
 * - The redirect URI must be https, except on localhost with development keys.
 * - With development keys, use the sandbox: `Intuit({ sandbox: true })`.
 * - `profile.email_verified` comes from Intuit's `emailVerified`. The user has no picture.
 */
export default function Intuit<P extends IntuitProfile = IntuitProfile>(options: IntuitOptions<P> = {}): OIDCConfig<P> {
  const { sandbox = false } = options
  return oidcProvider<P>("intuit", "Intuit", {
    issuer: "https://oauth.platform.intuit.com/op/v1",
    wellKnown: `${DISCOVERY}/${sandbox ? "openid_sandbox_configuration" : "openid_configuration"}`,
    userinfo: userinfoFrom<P>("Intuit", `https://${sandbox ? "sandbox-accounts" : "accounts"}.${PATH}`, toProfile),
    // PKCE and nonce are not documented.
    checks: ["state"],
    idToken: false,
    user: ({ sub, givenName, familyName, email }) => ({ id: sub, name: fullName(givenName, familyName), email }),
    brandColor: "#236CFF",
  })(options)
}
