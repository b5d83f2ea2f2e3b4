import { issuerProvider, type StandardClaims } from "../provider-kit/define.js"

/** @see https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/ */
export interface AutheliaProfile extends StandardClaims {
  /** The time of the authorization request. */
  rat?: number
  /** The user's first address. */
  email?: string
  alt_emails?: string[]
  groups?: string[]
}

/**
 * Sign-in with your own Authelia server.
 * Environment: also its address as `AUTH_AUTHELIA_ISSUER` (`https://auth.example.com`).
 * Console: Authelia's configuration, `identity_providers.oidc.clients`
 * - The profile is read from userinfo.
 * - Authelia reports `email_verified: true` for every address of the user directory. Allow linking by address only if
 *   users cannot edit theirs.
 */
const Authelia = issuerProvider<AutheliaProfile>("authelia", "Authelia", { idToken: false, brandColor: "#0065BF" })

export default Authelia
