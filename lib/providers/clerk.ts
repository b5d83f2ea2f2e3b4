import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** The claims of Clerk's id_token: https://clerk.com/docs/guides/configure/auth-strategies/oauth/single-sign-on */
export interface ClerkProfile extends IdTokenClaims {
  jti: string
  /** Requires the scope "public_metadata". */
  public_metadata?: Record<string, unknown>
  unsafe_metadata?: Record<string, unknown>
  /** Requires the scope "private_metadata". */
  private_metadata?: Record<string, unknown>
  /** The organisation that the user chose. Requires the scope "user:org:read". */
  org_id?: string
}

/**
 * Sign-in with the users of a Clerk application that acts as the OAuth server.
 * Environment: also `AUTH_CLERK_ISSUER`, the Frontend API URL (`https://clerk.example.com` or
 * `https://verb-noun-00.clerk.accounts.dev`).
 * Console: https://dashboard.clerk.com/~/oauth-applications
 * - Give the OAuth application the scopes `openid`, `profile` and `email`, and keep its consent screen on. Without the
 *   consent screen, a user who only follows a link is treated as having consented.
 * - `profile.email_verified` comes from Clerk and refers to the primary address.
 */
const Clerk = issuerProvider<ClerkProfile>("clerk", "Clerk", { brandColor: "#6C47FF" })

export default Clerk
