import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The userinfo claims of Adobe's Identity Management Services.
 * @see https://developer.adobe.com/developer-console/docs/guides/authentication/UserAuthentication/ims#userinfo
 */
export interface AdobeProfile {
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  email?: string
  /** A boolean here. Adobe returns the string "true" or "false". */
  email_verified?: boolean | string
  /** "ind" is a personal account; "ent" and "fed" are company accounts. */
  account_type?: string
  address?: { country?: string }
  [claim: string]: unknown
}

const ISSUER = "https://ims-na1.adobelogin.com"

const toProfile = <P extends AdobeProfile>(user: P): P => ({
  ...user,
  email_verified: user.email_verified === true || user.email_verified === "true",
})

/**
 * Sign-in with Adobe.
 *
 * Environment: `AUTH_ADOBE_ID`, `AUTH_ADOBE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/adobe`; Adobe accepts https only.
 * Console: https://developer.adobe.com/console, a project with an API, User Authentication, OAuth Web App
 *
 * - Scopes are separated by commas.
 * - No picture.
 *
 * @example
 * import Adobe from "latchkey/providers/adobe"
 * app.use(authMiddleware({ providers: [Adobe] }))
 */
export default function Adobe<P extends AdobeProfile = AdobeProfile>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> {
  return {
    id: "adobe",
    name: "Adobe",
    type: "oidc",
    issuer: ISSUER,
    wellKnown: `${ISSUER}/ims/.well-known/openid-configuration`,
    authorization: { params: { scope: "openid,profile,email" } },
    userinfo: userinfoFrom<P>("Adobe", `${ISSUER}/ims/userinfo/v2`, toProfile),
    client: { token_endpoint_auth_method: "client_secret_post" },
    // A nonce is not documented.
    checks: ["pkce", "state"],
    idToken: false,
    profile({ sub, name, given_name, family_name, email }) {
      return {
        id: requireId("Adobe", sub),
        name: firstText(name, fullName(given_name, family_name)),
        email: firstText(email),
        image: null,
      }
    },
    style: { brandColor: "#EB1000" },
    options,
  }
}
