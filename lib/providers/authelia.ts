import { issuerProvider, type StandardClaims } from "../provider-kit/define.js"

/** @see https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/ */
export interface AutheliaProfile extends StandardClaims {
  /** The time of the authorization request. */
  rat?: number
  /** The user's first email address. */
  email?: string
  alt_emails?: string[]
  groups?: string[]
}

/**
 * Sign-in with your own Authelia server.
 * Environment: also `AUTH_AUTHELIA_ISSUER`, the server's address (`https://auth.example.com`).
 * Console: Authelia's configuration, `identity_providers.oidc.clients`
 * - The profile is read from userinfo.
 * - Authelia reports `email_verified: true` for every address of the user directory. Set
 *   `allowDangerousEmailAccountLinking` only if users cannot change their addresses.
 */
const Authelia = issuerProvider<AutheliaProfile>("authelia", "Authelia", { idToken: false, brandColor: "#0065BF" })

export default Authelia
