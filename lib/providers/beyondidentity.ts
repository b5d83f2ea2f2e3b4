import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Beyond Identity's id_token.
 * @see https://developer.beyondidentity.com/
 */
export interface BeyondIdentityProfile {
  sub: string
  name?: string
  preferred_username?: string
  email?: string
  // biome-ignore lint/suspicious/noExplicitAny: an application defines its own claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Beyond Identity.
 *
 * Environment: `AUTH_BEYONDIDENTITY_ID`, `AUTH_BEYONDIDENTITY_SECRET`, `AUTH_BEYONDIDENTITY_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/beyondidentity`.
 * Console: https://console-us.beyondidentity.com, Applications, External Protocol
 *
 * - The issuer is on the application's External Protocol tab.
 * - Email verification is not documented.
 *
 * @example
 * import BeyondIdentity from "latchkey/providers/beyondidentity"
 * app.use(authMiddleware({ providers: [BeyondIdentity({ issuer: process.env.AUTH_BEYONDIDENTITY_ISSUER })] }))
 */
export default function BeyondIdentity<P extends BeyondIdentityProfile = BeyondIdentityProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "beyondidentity",
    name: "Beyond Identity",
    type: "oidc",
    style: { brandColor: "#5077c5" },
    options,
  }
}
