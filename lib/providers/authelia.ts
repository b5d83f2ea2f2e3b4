import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The response of Authelia's userinfo endpoint.
 * @see https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/
 */
export interface AutheliaProfile {
  /** A UUID of the user. */
  sub: string
  /** The time of the authorization request. */
  rat?: number
  /** The display name. */
  name?: string
  preferred_username?: string
  given_name?: string
  middle_name?: string
  family_name?: string
  nickname?: string
  profile?: string
  picture?: string
  website?: string
  gender?: string
  birthdate?: string
  zoneinfo?: string
  locale?: string
  /** The user's first address. */
  email?: string
  email_verified?: boolean
  /** The user's other addresses. */
  alt_emails?: string[]
  /** With the scope "groups". */
  groups?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: an administrator can define custom claims
  [claim: string]: any
}

/**
 * Sign-in with your own Authelia server.
 *
 * Environment: `AUTH_AUTHELIA_ID`, `AUTH_AUTHELIA_SECRET`, and its address as `AUTH_AUTHELIA_ISSUER`
 * (`https://auth.example.com`).
 * Redirect URI: `https://example.com/auth/callback/authelia`.
 * Console: Authelia's configuration, `identity_providers.oidc.clients`
 *
 * - The profile is read from userinfo.
 * - Authelia reports `email_verified: true` for every address of the user directory. Allow linking by address only if
 *   users cannot edit theirs.
 *
 * @example
 * import Authelia from "latchkey/providers/authelia"
 * app.use(authMiddleware({ providers: [Authelia({ issuer: process.env.AUTH_AUTHELIA_ISSUER })] }))
 */
export default function Authelia<P extends AutheliaProfile = AutheliaProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "authelia",
    name: "Authelia",
    type: "oidc",
    idToken: false,
    style: { brandColor: "#0065BF" },
    options,
  }
}
