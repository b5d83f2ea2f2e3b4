import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Okta's id_token.
 * @see https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/#id-token-claims
 */
export interface OktaProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  ver: number
  jti: string
  /** The authentication methods, such as "pwd" and "mfa". */
  amr: string[]
  /** The identity provider behind Okta. */
  idp: string
  /** Requires a custom authorization server with a groups claim. */
  groups?: string[]
  nonce?: string
  auth_time: number
  at_hash: string
  name: string
  nickname?: string
  preferred_username: string
  given_name?: string
  middle_name?: string
  family_name?: string
  email: string
  email_verified: boolean
  profile?: string
  picture?: string
  zoneinfo?: string
  locale?: string
  updated_at: number
  // biome-ignore lint/suspicious/noExplicitAny: an authorization server defines its own claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Okta.
 *
 * Environment: `AUTH_OKTA_ID`, `AUTH_OKTA_SECRET`, `AUTH_OKTA_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/okta`.
 * Console: `https://<organization>-admin.okta.com`, Applications, OIDC, Web Application, Sign-in redirect URIs
 *
 * - The issuer is an authorization server, such as `https://dev-123456.okta.com/oauth2/default`, or the organisation's
 *   address without a path.
 * - `profile.email_verified` comes from Okta.
 *
 * @example
 * import Okta from "latchkey/providers/okta"
 * app.use(authMiddleware({ providers: [Okta({ issuer: process.env.AUTH_OKTA_ISSUER })] }))
 */
export default function Okta<P extends OktaProfile = OktaProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "okta",
    name: "Okta",
    type: "oidc",
    style: { brandColor: "#000" },
    options,
  }
}
