import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { providerVariable } from "../provider-kit/vendor.js"

/** A postal address. */
export interface VippsAddress {
  address_type: string
  country: string
  formatted: string
  postal_code: string
  region: string
  street_address: string
}

/** The claims of Vipps's userinfo: https://developer.vippsmobilepay.com/docs/APIs/login-api/api-guide/user-info */
export interface VippsProfile extends StandardClaims {
  sid: string
  name: string
  given_name: string
  family_name: string
  email: string
  email_verified: boolean
  /** With the scope `phoneNumber`: digits, including the country code. */
  phone_number?: string
  /** With the scope `birthDate`, YYYY-MM-DD. */
  birthdate?: string
  /** With the scope `address`. */
  address?: VippsAddress
  other_addresses?: VippsAddress[]
  /** With the scope `nin`, for authorized merchants. */
  nin?: string
}

/**
 * Sign-in with Vipps MobilePay.
 * Environment: also for the test environment the issuer as `AUTH_VIPPS_ISSUER`
 * (`https://apitest.vipps.no/access-management-1.0/access/`).
 * Console: https://portal.vippsmobilepay.com, Developer
 * - The sales unit needs the Login API with `client_secret_basic`, the default.
 * - Users consent to all scopes or to none. No picture.
 */
export default function Vipps<P extends VippsProfile = VippsProfile>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> {
  return oidcProvider<P>("vipps", "Vipps", {
    // Read here because a default would hide the environment variable.
    issuer: providerVariable("vipps", "ISSUER", options) || "https://api.vipps.no/access-management-1.0/access/",
    authorization: { params: { scope: "openid name email" } },
    checks: ["pkce", "state", "nonce"],
    // The id_token has only the subject.
    idToken: false,
    brandColor: "#f05c18",
  })(options)
}
