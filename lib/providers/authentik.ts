import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of authentik's id_token, with the default scope mappings.
 * @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/
 */
export interface AuthentikProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  auth_time: number
  acr: string
  amr?: string[]
  nonce?: string
  at_hash?: string
  /** The id of the session at authentik. */
  sid?: string
  email: string
  /** False unless your own scope mapping sets it. */
  email_verified: boolean
  name: string
  given_name: string
  family_name?: string
  preferred_username: string
  nickname: string
  groups: string[]
  // biome-ignore lint/suspicious/noExplicitAny: a provider's scope mappings define the claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with authentik.
 *
 * Environment: `AUTH_AUTHENTIK_ID`, `AUTH_AUTHENTIK_SECRET`, `AUTH_AUTHENTIK_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/authentik`.
 * Console: `https://authentik.example.com/if/admin/`, Applications, Providers, OAuth2/OpenID
 *
 * - The issuer contains the application: `https://authentik.example.com/application/o/my-app/`, with the slash.
 * - Select a Signing Key for the provider.
 * - Keep the default Subject mode, the hashed user id: an email address or a username can be reassigned.
 * - Since version 2025.10 `email_verified` is false unless your own email scope mapping sets it. Earlier versions
 *   always set it to true.
 * - Keep the default Issuer mode, one issuer per provider.
 *
 * @example
 * import Authentik from "latchkey/providers/authentik"
 * app.use(authMiddleware({ providers: [Authentik({ issuer: process.env.AUTH_AUTHENTIK_ISSUER })] }))
 */
export default function Authentik<P extends AuthentikProfile = AuthentikProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "authentik",
    name: "Authentik",
    type: "oidc",
    options,
  }
}
