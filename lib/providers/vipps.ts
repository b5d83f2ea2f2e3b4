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
  /** Digits, including the country code. Requires the scope `phoneNumber`. */
  phone_number?: string
  /** YYYY-MM-DD. Requires the scope `birthDate`. */
  birthdate?: string
  /** Requires the scope `address`. */
  address?: VippsAddress
  other_addresses?: VippsAddress[]
  /** Requires the scope `nin`, which is for authorized merchants. */
  nin?: string
}

/**
 * Sign-in with Vipps MobilePay.
 * Environment: also `AUTH_VIPPS_ISSUER`, which is needed only for the test environment
 * (`https://apitest.vipps.no/access-management-1.0/access/`).
 * Console: https://portal.vippsmobilepay.com, Developer
 * - The sales unit needs the Login API with `client_secret_basic`, the default.
 * - Users consent to all scopes or to none. The user has no picture.
 */
export default function Vipps<P extends VippsProfile = VippsProfile>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> {
  return oidcProvider<P>("vipps", "Vipps", {
    // The variable is read here, because the core reads it only if the definition has no issuer.
    issuer: providerVariable("vipps", "ISSUER", options) || "https://api.vipps.no/access-management-1.0/access/",
    authorization: { params: { scope: "openid name email" } },
    checks: ["pkce", "state", "nonce"],
    // The id_token has only the subject.
    idToken: false,
    brandColor: "#f05c18",
  })(options)
}
