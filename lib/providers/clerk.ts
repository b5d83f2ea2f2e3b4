import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** The claims of Clerk's id_token: https://clerk.com/docs/guides/configure/auth-strategies/oauth/single-sign-on */
export interface ClerkProfile extends IdTokenClaims {
  jti: string
  /** With the scope "public_metadata". */
  public_metadata?: Record<string, unknown>
  unsafe_metadata?: Record<string, unknown>
  /** With the scope "private_metadata". */
  private_metadata?: Record<string, unknown>
  /** With the scope "user:org:read": the organisation that the user chose. */
  org_id?: string
}

/**
 * Sign-in with the users of a Clerk application that acts as the OAuth server.
 * Environment: also the Frontend API URL as `AUTH_CLERK_ISSUER` (`https://clerk.example.com`,
 * `https://verb-noun-00.clerk.accounts.dev`).
 * Console: https://dashboard.clerk.com/~/oauth-applications
 * - Give the OAuth application the scopes `openid`, `profile` and `email`, and keep its consent screen on.
 *   Without the consent screen, following a link counts as consent.
 * - `profile.email_verified` comes from Clerk and refers to the primary address.
 */
const Clerk = issuerProvider<ClerkProfile>("clerk", "Clerk", { brandColor: "#6C47FF" })

export default Clerk
