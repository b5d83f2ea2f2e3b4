import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

/** The claims of the id_token of Hack Club Auth: https://auth.hackclub.com/docs/oidc-guide */
export interface HackClubProfile extends IdTokenClaims {
  iss: "https://auth.hackclub.com"
  /** `ident!` followed by letters. */
  sub: string
  updated_at?: number
  /** Requires the scope "slack_id". */
  slack_id?: string
  /** This member and the next require the scope "verification_status". */
  verification_status?: string
  ysws_eligible?: boolean
}

/**
 * Sign-in with Hack Club.
 * Console: https://auth.hackclub.com/developer/apps
 * - A community application can request `openid profile email name slack_id verification_status`. Other scopes are
 *   reserved for Hack Club.
 * - The user has no picture.
 */
const HackClub = oidcProvider<HackClubProfile>("hackclub", "Hack Club", {
  issuer: "https://auth.hackclub.com",
  client: { token_endpoint_auth_method: "client_secret_post" },
  brandColor: "#EC3750",
})

export default HackClub
