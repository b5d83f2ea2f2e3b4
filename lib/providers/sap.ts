import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of the id_token of SAP Cloud Identity Services, with the default attributes of an application.
 * @see https://help.sap.com/viewer/6d6d63354d1242d185ab4830fc04feb1/Cloud/en-US/a789c9c8c0f5439da8c30b5d9e43bece.html
 */
export interface SAPProfile {
  iss: string
  /** The subject name identifier chosen by the application's administrator. */
  sub: string
  /** Can include the clients of consumed services; `azp` is then yours. */
  aud: string | string[]
  azp?: string
  iat: number
  exp: number
  jti?: string
  nonce?: string
  /** The Global User ID, the same in all of SAP's products. */
  user_uuid?: string
  given_name?: string
  family_name?: string
  email?: string
  email_verified?: boolean
  groups?: string | string[]
  // biome-ignore lint/suspicious/noExplicitAny: an administrator chooses the attributes
  [claim: string]: any
}

/**
 * Sign-in with SAP Cloud Identity Services (Identity Authentication).
 *
 * Environment: `AUTH_SAP_ID`, `AUTH_SAP_SECRET`, and the tenant as `AUTH_SAP_ISSUER`
 * (`https://<tenant>.accounts.ondemand.com`, `https://<tenant>.accounts.cloud.sap`).
 * Redirect URI: `https://example.com/auth/callback/sap`.
 * Console: `https://<tenant>.accounts.ondemand.com/admin`, Applications, an OpenID Connect application
 *
 * - The account id is the application's subject name identifier. Choose the Global User ID: an email address or a login
 *   name can be reassigned.
 * - Names, address and `email_verified` are present only if an administrator adds these attributes to the application.
 * - No picture.
 *
 * @example
 * import SAP from "latchkey/providers/sap"
 * app.use(authMiddleware({ providers: [SAP({ issuer: process.env.AUTH_SAP_ISSUER })] }))
 */
export default function SAP<P extends SAPProfile = SAPProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "sap",
    name: "SAP",
    type: "oidc",
    profile({ sub, given_name, family_name, email }) {
      return {
        id: requireId("SAP", sub),
        name: fullName(given_name, family_name),
        email: firstText(email),
        image: null,
      }
    },
    style: { brandColor: "#0070F2" },
    options,
  }
}
