import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, readServer, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of United Effects' id_token.
 * @see https://docs.unitedeffects.com/integrations/nextauthjs
 */
export interface UnitedEffectsProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  email?: string
  email_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: an auth group may add claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with a United Effects auth group.
 *
 * Environment: `AUTH_UNITED_EFFECTS_ID`, `AUTH_UNITED_EFFECTS_SECRET`, `AUTH_UNITED_EFFECTS_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/united-effects`.
 * Console: the admin portal of the auth group
 *
 * - The issuer ends in the auth group's id: `https://auth.unitedeffects.com/YQpbQV5dbW-224dCovz-3`. It is also sent as
 *   `resource`.
 * - No name and no picture. Email verification is not reported, unless the auth group adds `email_verified`.
 *
 * @example
 * import UnitedEffects from "latchkey/providers/united-effects"
 * app.use(authMiddleware({ providers: [UnitedEffects({ issuer: process.env.AUTH_UNITED_EFFECTS_ISSUER })] }))
 */
export default function UnitedEffects<P extends UnitedEffectsProfile = UnitedEffectsProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const server = readServer("united-effects", options)
  return {
    id: "united-effects",
    name: "United Effects",
    type: "oidc",
    authorization: { params: { scope: "openid email profile", resource: server } },
    // Set explicitly to null, because the core would otherwise leave name and picture undefined.
    profile({ sub, email }) {
      return { id: requireId("United Effects", sub), name: null, email: firstText(email), image: null }
    },
    options,
  }
}
