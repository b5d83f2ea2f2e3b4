import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

/** The claims of Globus Auth's id_token: https://docs.globus.org/api/auth/reference/#oidc_userinfo_endpoint */
export interface GlobusProfile extends IdTokenClaims {
  iss: "https://auth.globus.org"
  /** UUID of the user's primary identity. */
  sub: string
  /** The username at the institution: `ada@example.edu`. */
  preferred_username: string
  /** UUID of the primary identity's institution. */
  identity_provider?: string
  identity_provider_display_name?: string
  organization?: string
  last_authentication?: number
}

/**
 * Sign-in with Globus (universities, laboratories, ORCID and others).
 * Console: https://app.globus.org/settings/developers
 * - The account is the user's primary identity. A user who makes another linked identity primary gets a new account.
 * - Globus does not document whether email addresses are verified. The user has no picture.
 */
const Globus = oidcProvider<GlobusProfile>("globus", "Globus", { issuer: "https://auth.globus.org" })

export default Globus
