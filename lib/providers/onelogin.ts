import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of OneLogin's id_token for the scopes `profile` and `email`.
 * @see https://developers.onelogin.com/openid-connect/scopes
 */
export interface OneLoginProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  at_hash?: string
  email: string
  preferred_username: string
  name: string
  given_name?: string
  family_name?: string
  groups?: string[]
  updated_at?: string
  // biome-ignore lint/suspicious/noExplicitAny: an application's parameters are claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with OneLogin.
 *
 * Environment: `AUTH_ONELOGIN_ID`, `AUTH_ONELOGIN_SECRET`, `AUTH_ONELOGIN_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/onelogin`.
 * Console: `https://my-company.onelogin.com/apps`, OpenId Connect (OIDC), SSO
 *
 * - The issuer ends in `/oidc/2`: `https://my-company.onelogin.com/oidc/2`.
 * - Set the application's Token Endpoint to "Basic". For "POST", set `client: { token_endpoint_auth_method:
 *   "client_secret_post" }` here.
 * - Email verification is not documented.
 *
 * @example
 * import OneLogin from "latchkey/providers/onelogin"
 * app.use(authMiddleware({ providers: [OneLogin({ issuer: process.env.AUTH_ONELOGIN_ISSUER })] }))
 */
export default function OneLogin<P extends OneLoginProfile = OneLoginProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "onelogin",
    name: "OneLogin",
    type: "oidc",
    options,
  }
}
