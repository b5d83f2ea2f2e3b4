import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Clerk's id_token.
 * @see https://clerk.com/docs/guides/configure/auth-strategies/oauth/single-sign-on
 */
export interface ClerkProfile {
  iss: string
  /** The user's id. */
  sub: string
  aud: string
  iat: number
  exp: number
  jti: string
  nonce?: string
  name?: string
  given_name?: string
  family_name?: string
  preferred_username?: string
  picture?: string
  /** The primary address. */
  email?: string
  email_verified?: boolean
  /** With the scope "public_metadata". */
  public_metadata?: Record<string, unknown>
  unsafe_metadata?: Record<string, unknown>
  /** With the scope "private_metadata". */
  private_metadata?: Record<string, unknown>
  /** With the scope "user:org:read": the organisation that the user chose. */
  org_id?: string
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims
  [claim: string]: any
}

/**
 * Sign-in with the users of a Clerk application that acts as the OAuth server.
 *
 * Environment: `AUTH_CLERK_ID`, `AUTH_CLERK_SECRET`, and the Frontend API URL as `AUTH_CLERK_ISSUER`
 * (`https://clerk.example.com`, `https://verb-noun-00.clerk.accounts.dev`).
 * Redirect URI: `https://example.com/auth/callback/clerk`.
 * Console: https://dashboard.clerk.com/~/oauth-applications
 *
 * - Give the OAuth application the scopes `openid`, `profile` and `email`, and keep its consent screen on.
 *   Without the consent screen, following a link counts as consent.
 * - `profile.email_verified` comes from Clerk and refers to the primary address.
 *
 * @example
 * import Clerk from "latchkey/providers/clerk"
 * app.use(authMiddleware({ providers: [Clerk({ issuer: process.env.AUTH_CLERK_ISSUER })] }))
 */
export default function Clerk<P extends ClerkProfile = ClerkProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "clerk",
    name: "Clerk",
    type: "oidc",
    style: { brandColor: "#6C47FF" },
    options,
  }
}
