import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Globus Auth's id_token.
 * @see https://docs.globus.org/api/auth/reference/#oidc_userinfo_endpoint
 */
export interface GlobusProfile {
  iss: "https://auth.globus.org"
  /** UUID of the user's primary identity. */
  sub: string
  aud: string
  iat: number
  exp: number
  at_hash?: string
  nonce?: string
  name?: string
  /** The username at the institution: `ada@example.edu`. */
  preferred_username: string
  email?: string
  /** UUID of the primary identity's institution. */
  identity_provider?: string
  identity_provider_display_name?: string
  organization?: string
  last_authentication?: number
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims
  [claim: string]: any
}

/**
 * Sign-in with Globus (universities, laboratories, ORCID and others).
 *
 * Environment: `AUTH_GLOBUS_ID`, `AUTH_GLOBUS_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/globus`.
 * Console: https://app.globus.org/settings/developers
 *
 * - An account is a user's primary identity. A user who makes another linked identity the primary one has a new
 *   account.
 * - Email verification is not documented. No picture.
 *
 * @example
 * import Globus from "latchkey/providers/globus"
 * app.use(authMiddleware({ providers: [Globus] }))
 */
export default function Globus<P extends GlobusProfile = GlobusProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "globus",
    name: "Globus",
    type: "oidc",
    issuer: "https://auth.globus.org",
    options,
  }
}
