import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** @see https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/#id-token-claims */
export interface OktaProfile extends IdTokenClaims {
  ver: number
  jti: string
  amr: string[]
  /** The identity provider that authenticated the user. */
  idp: string
  /** Requires a custom authorization server with a groups claim. */
  groups?: string[]
  auth_time: number
  at_hash: string
  name: string
  preferred_username: string
  email: string
  email_verified: boolean
  updated_at: number
}

/**
 * Sign-in with Okta.
 * Console: `https://<organization>-admin.okta.com`, Applications, OIDC, Web Application, Sign-in redirect URIs
 * - The issuer is an authorization server, such as `https://dev-123456.okta.com/oauth2/default`, or the organisation's
 *   address without a path.
 * - `profile.email_verified` comes from Okta.
 */
const Okta = issuerProvider<OktaProfile>("okta", "Okta", { brandColor: "#000" })

export default Okta
