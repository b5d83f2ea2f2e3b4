import { type OtherMembers, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { providerVariable } from "../provider-kit/vendor.js"

/** @see https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_using_userinfo_endpoint.htm */
export interface SalesforceProfile extends OtherMembers {
  /** The identity URL: `https://login.salesforce.com/id/<organization>/<user>`. */
  sub: string
  user_id: string
  organization_id: string
  /** The login name, in the format of an email address. */
  preferred_username: string
  nickname: string
  name: string
  email: string
  email_verified: boolean
  given_name: string | null
  family_name: string
  zoneinfo: string
  photos: { picture: string; thumbnail: string }
  profile: string
  picture: string
  address?: { country?: string; street_address?: string; locality?: string; region?: string; postal_code?: string }
  is_salesforce_integration_user?: boolean
  /** Addresses of the organization's APIs, with `{version}` in them. */
  urls: Record<string, string>
  active: boolean
  user_type: string
  language: string
  locale: string
  utcOffset: number
  updated_at: string
  is_app_installed?: boolean
}

/**
 * Sign-in with Salesforce.
 * Environment: `AUTH_SALESFORCE_ID` (the consumer key), `AUTH_SALESFORCE_SECRET`, and `AUTH_SALESFORCE_ISSUER`, which
 * is needed only for a sandbox, My Domain or a site (`https://test.salesforce.com`,
 * `https://example.my.salesforce.com`).
 * Console: Setup of your organization, External Client App Manager or App Manager
 * - The application needs the OAuth scope "Access unique user identifiers" (`openid`), and `profile` and `email`.
 * - The account id is the identity URL, which contains the organization. The identity URL differs between a sandbox and
 *   production.
 */
export default function Salesforce<P extends SalesforceProfile = SalesforceProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return oidcProvider<P>("salesforce", "Salesforce", {
    // The variable is read here, because the core reads it only if the definition has no issuer.
    issuer: providerVariable("salesforce", "ISSUER", options) || "https://login.salesforce.com",
    checks: ["pkce", "state", "nonce"],
    // Only the userinfo contains the name and the email address.
    idToken: false,
    brandColor: "#00a1e0",
  })(options)
}
