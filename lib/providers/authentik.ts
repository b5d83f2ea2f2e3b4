import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of authentik's id_token, with the scope mappings that it begins with.
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
  /** The session at authentik. */
  sid?: string
  email: string
  /** False unless a scope mapping of your own says otherwise. */
  email_verified: boolean
  name: string
  given_name: string
  family_name?: string
  preferred_username: string
  nickname: string
  groups: string[]
  // biome-ignore lint/suspicious/noExplicitAny: a provider's scope mappings define the claims, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with authentik.
 *
 * Environment: `AUTH_AUTHENTIK_ID`, `AUTH_AUTHENTIK_SECRET`, `AUTH_AUTHENTIK_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/authentik`.
 * Console: `https://authentik.example.com/if/admin/`, Applications, Providers, OAuth2/OpenID
 *
 * - The issuer names the application and ends in a slash, as authentik writes it:
 *   `https://authentik.example.com/application/o/my-app/`.
 * - A Signing Key must be chosen for the provider: without one authentik signs with the client's secret.
 * - The account is what the provider has as its Subject mode. Leave it at the hashed user id, the default: an e-mail
 *   address or a username can pass to another person.
 * - Since version 2025.10 `email_verified` is false unless an e-mail scope mapping of your own sets it. Before, it was
 *   true for every address, proven or not.
 * - Issuer mode must be the one per provider, which is the default.
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
