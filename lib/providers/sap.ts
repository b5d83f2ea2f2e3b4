import type { OIDCConfig, OIDCUserConfig } from "./provider.js"
import { firstText, fullName, requireId } from "./vendor.js"

/**
 * The claims of the id_token of SAP Cloud Identity Services, with the attributes that an application begins with.
 * @see https://help.sap.com/viewer/6d6d63354d1242d185ab4830fc04feb1/Cloud/en-US/a789c9c8c0f5439da8c30b5d9e43bece.html
 */
export interface SAPProfile {
  iss: string
  /** What the application's administrator chose as its subject name identifier. */
  sub: string
  /** With the clients of consumed services beside yours; `azp` is yours then. */
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
  // biome-ignore lint/suspicious/noExplicitAny: an administrator decides on the attributes
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
 * - The account is what the application has as its subject name identifier. Choose the Global User ID there: an e-mail
 *   address or a login name can pass to another person.
 * - Names, address and `email_verified` are attributes that an administrator adds to the application; none of them is
 *   certain to be there.
 * - There is no picture.
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
