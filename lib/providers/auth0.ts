import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Auth0's id_token; an Action can add members in your own namespace.
 * @see https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure
 */
export interface Auth0Profile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  auth_time?: number
  nonce?: string
  /** The authentication methods; "mfa" after a second factor. */
  amr?: string[]
  acr?: string
  name: string
  nickname: string
  picture: string
  updated_at: string
  email: string
  email_verified: boolean
  given_name?: string
  family_name?: string
  preferred_username?: string
  phone_number?: string
  phone_number_verified?: boolean
  locale?: string
  /** The id of the session at Auth0, used for sign-out there. */
  sid?: string
  org_id?: string
  org_name?: string
  // biome-ignore lint/suspicious/noExplicitAny: an application defines its own claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Auth0.
 *
 * Environment: `AUTH_AUTH0_ID`, `AUTH_AUTH0_SECRET`, `AUTH_AUTH0_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/auth0`.
 * Console: https://manage.auth0.com, Applications, Regular Web Application, Allowed Callback URLs
 *
 * - The issuer is the tenant's address or your custom domain, with a trailing slash: `https://tenant.eu.auth0.com/`.
 * - `profile.email_verified` comes from Auth0.
 *
 * @example
 * import Auth0 from "latchkey/providers/auth0"
 * app.use(authMiddleware({ providers: [Auth0({ issuer: process.env.AUTH_AUTH0_ISSUER })] }))
 */
export default function Auth0(
  options: OIDCUserConfig<Auth0Profile> & { issuer: string | undefined },
): OIDCConfig<Auth0Profile> {
  return {
    id: "auth0",
    name: "Auth0",
    type: "oidc",
    style: { brandColor: "#EB5424" },
    options,
  }
}
