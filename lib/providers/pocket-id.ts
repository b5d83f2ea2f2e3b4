import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** The claims of Pocket ID's id_token: https://pocket-id.org/docs */
export interface PocketIDProfile extends IdTokenClaims<string[]> {
  sub: string
  name: string
  display_name?: string
  given_name: string
  family_name: string
  preferred_username: string
  picture: string
  /** Absent for a user without an address. */
  email?: string
  groups?: string[]
}

/**
 * Sign-in with your own Pocket ID.
 * Environment: also `AUTH_POCKET_ID_ISSUER`, the server's address (`https://id.example.com`).
 * Console: `https://id.example.com/settings/admin/oidc-clients`
 * - The issuer is the `APP_URL` of Pocket ID.
 * - A user may have no email address. Administrators can set `profile.email_verified`. Set
 *   `allowDangerousEmailAccountLinking` only if your addresses are verified.
 */
const PocketID = issuerProvider<PocketIDProfile>("pocket-id", "Pocket ID")

export default PocketID
