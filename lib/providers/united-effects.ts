import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** The claims of United Effects' id_token: https://docs.unitedeffects.com/integrations/nextauthjs */
export interface UnitedEffectsProfile extends IdTokenClaims {}

/**
 * Sign-in with a United Effects auth group.
 * Console: the admin portal of the auth group
 * - The issuer ends in the auth group's id: `https://auth.unitedeffects.com/YQpbQV5dbW-224dCovz-3`. It is also sent as
 *   `resource`.
 * - No name and no picture. Email verification is not reported, unless the auth group adds `email_verified`.
 */
export default function UnitedEffects<P extends UnitedEffectsProfile = UnitedEffectsProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const server = readServer("united-effects", options)
  return oidcProvider<P>("united-effects", "United Effects", {
    authorization: { params: { scope: "openid email profile", resource: server } },
    // Set explicitly to null, because the core would otherwise leave name and picture undefined.
    user: ({ sub, email }) => ({ id: sub, email }),
  })(options)
}
