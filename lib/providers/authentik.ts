import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/ */
export interface AuthentikProfile extends IdTokenClaims {
  auth_time: number
  acr: string
  email: string
  /** Since version 2025.10, false unless your own scope mapping sets it. */
  email_verified: boolean
  name: string
  given_name: string
  preferred_username: string
  nickname: string
  groups: string[]
}

/**
 * Sign-in with authentik.
 * Console: `https://authentik.example.com/if/admin/`, Applications, Providers, OAuth2/OpenID
 * - The issuer contains the application: `https://authentik.example.com/application/o/my-app/`, with the trailing
 *   slash.
 * - Select a Signing Key for the provider.
 * - Keep the default Subject mode, which is the hashed user id. An email address or a username can be reassigned to
 *   another user.
 * - Since version 2025.10 `email_verified` is false unless your own email scope mapping sets it. Earlier versions
 *   always set it to true.
 * - Keep the default Issuer mode, which is one issuer per provider.
 */
const Authentik = issuerProvider<AuthentikProfile>("authentik", "Authentik")

export default Authentik
