import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** @see https://developers.onelogin.com/openid-connect/scopes */
export interface OneLoginProfile extends IdTokenClaims {
  email: string
  preferred_username: string
  name: string
  groups?: string[]
  updated_at?: string
}

/**
 * Sign-in with OneLogin.
 * Console: `https://my-company.onelogin.com/apps`, OpenId Connect (OIDC), SSO
 * - The issuer ends in `/oidc/2`: `https://my-company.onelogin.com/oidc/2`.
 * - Set the application's Token Endpoint to "Basic". For "POST", set the option `client: { token_endpoint_auth_method:
 *   "client_secret_post" }`.
 * - OneLogin does not document whether email addresses are verified.
 */
const OneLogin = issuerProvider<OneLoginProfile>("onelogin", "OneLogin")

export default OneLogin
