import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * What Authelia's userinfo endpoint answers.
 * @see https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/
 */
export interface AutheliaProfile {
  /** A UUID of the person. */
  sub: string
  /** When the authorization was asked for. */
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
  /** The first of the person's addresses. */
  email?: string
  email_verified?: boolean
  /** The others. */
  alt_emails?: string[]
  /** With the scope "groups". */
  groups?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: an administrator defines claims of their own
  [claim: string]: any
}

/**
 * Sign-in with an Authelia of your own.
 *
 * Environment: `AUTH_AUTHELIA_ID`, `AUTH_AUTHELIA_SECRET`, and its address as `AUTH_AUTHELIA_ISSUER`
 * (`https://auth.example.com`).
 * Redirect URI: `https://example.com/auth/callback/authelia`.
 * Console: Authelia's configuration, `identity_providers.oidc.clients`
 *
 * - The profile is read from the userinfo endpoint: the id_token has no name and no address.
 * - Authelia says `email_verified: true` of every address and checks none. Whoever writes the directory of users decides
 *   what stands there: allow linking by address only if people can't write it themselves.
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
