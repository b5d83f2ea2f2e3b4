import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of the id_token of Hack Club Auth.
 * @see https://auth.hackclub.com/docs/oidc-guide
 */
export interface HackClubProfile {
  iss: "https://auth.hackclub.com"
  /** `ident!` and letters. */
  sub: string
  aud: string
  iat: number
  exp: number
  nonce?: string
  name?: string
  given_name?: string
  family_name?: string
  nickname?: string
  updated_at?: number
  email?: string
  email_verified?: boolean
  /** With the scope "slack_id". */
  slack_id?: string
  /** This and the next with the scope "verification_status". */
  verification_status?: string
  ysws_eligible?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims
  [claim: string]: any
}

/**
 * Sign-in with Hack Club.
 *
 * Environment: `AUTH_HACKCLUB_ID`, `AUTH_HACKCLUB_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/hackclub`.
 * Console: https://auth.hackclub.com/developer/apps
 *
 * - A community application can request `openid profile email name slack_id verification_status`. Other scopes are
 *   reserved for Hack Club.
 * - No picture.
 *
 * @example
 * import HackClub from "latchkey/providers/hackclub"
 * app.use(authMiddleware({ providers: [HackClub] }))
 */
export default function HackClub<P extends HackClubProfile = HackClubProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "hackclub",
    name: "Hack Club",
    type: "oidc",
    issuer: "https://auth.hackclub.com",
    client: { token_endpoint_auth_method: "client_secret_post" },
    style: { brandColor: "#EC3750" },
    options,
  }
}
