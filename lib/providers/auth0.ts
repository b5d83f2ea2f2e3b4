import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/**
 * The claims of Auth0's id_token. An Action can add claims in your own namespace.
 * @see https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure
 */
export interface Auth0Profile extends IdTokenClaims {
  name: string
  nickname: string
  picture: string
  updated_at: string
  email: string
  email_verified: boolean
  org_id?: string
  org_name?: string
}

/**
 * Sign-in with Auth0.
 * Console: https://manage.auth0.com, Applications, Regular Web Application, Allowed Callback URLs
 * - The issuer is the tenant's address or your custom domain, with a trailing slash: `https://tenant.eu.auth0.com/`.
 * - `profile.email_verified` comes from Auth0.
 */
const Auth0 = issuerProvider<Auth0Profile>("auth0", "Auth0", { brandColor: "#EB5424" })

export default Auth0
