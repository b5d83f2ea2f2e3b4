import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/**
 * The claims of PingOne's id_token. User attributes are included when they are mapped.
 * @see https://developer.pingidentity.com/pingone-api/platform/applications/application-attribute-mapping.html
 */
export interface PingProfile extends IdTokenClaims {
  auth_time: number
  /** The ids of the environment and the organisation, both GUIDs. */
  env?: string
  org?: string
  "p1.region"?: string
  updated_at?: number
}

/**
 * Sign-in with PingOne of Ping Identity.
 * Console: https://console.pingone.com, Applications, OIDC Web App
 * - The issuer contains the environment and your region's top-level domain: `https://auth.pingone.eu/<environment
 *   id>/as`.
 * - The application needs the scopes `profile` and `email` under Resources. To include `name`, `email` and `picture` in
 *   the id_token, add them under Attribute Mappings.
 * - Keep the default mapping of `sub`, which is the User ID. An email address or a username can be reassigned to
 *   another user.
 * - PingOne does not document whether email addresses are verified, but you can map an attribute to `email_verified`.
 */
const PingId = issuerProvider<PingProfile>("ping-id", "Ping Identity")

export default PingId
