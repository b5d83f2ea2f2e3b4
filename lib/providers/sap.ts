import { fullName, type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/**
 * The claims of the id_token of SAP Cloud Identity Services, with the default attributes of an application.
 * @see https://help.sap.com/viewer/6d6d63354d1242d185ab4830fc04feb1/Cloud/en-US/a789c9c8c0f5439da8c30b5d9e43bece.html
 */
export interface SAPProfile extends IdTokenClaims<string | string[]> {
  /** The subject name identifier chosen by the application's administrator. */
  sub: string
  /** Can include the client ids of consumed services; `azp` is then your client id. */
  aud: string | string[]
  jti?: string
  /** The Global User ID, the same in all of SAP's products. */
  user_uuid?: string
  groups?: string | string[]
}

/**
 * Sign-in with SAP Cloud Identity Services (Identity Authentication).
 * Environment: also `AUTH_SAP_ISSUER`, the address of the tenant (`https://<tenant>.accounts.ondemand.com` or
 * `https://<tenant>.accounts.cloud.sap`).
 * Console: `https://<tenant>.accounts.ondemand.com/admin`, Applications, an OpenID Connect application
 * - The account id is the application's subject name identifier. Choose the Global User ID for it, because an email
 *   address or a login name can be reassigned to another user.
 * - Names, the email address and `email_verified` are present only if an administrator adds these attributes to the
 *   application.
 * - The user has no picture.
 */
const SAP = issuerProvider<SAPProfile>("sap", "SAP", {
  user: ({ sub, given_name, family_name, email }) => ({ id: sub, name: fullName(given_name, family_name), email }),
  brandColor: "#0070F2",
})

export default SAP
