import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** The claims of United Effects' id_token: https://docs.unitedeffects.com/integrations/nextauthjs */
export interface UnitedEffectsProfile extends IdTokenClaims {}

/**
 * Sign-in with a United Effects auth group.
 * Console: the admin portal of the auth group
 * - The issuer ends in the auth group's id: `https://auth.unitedeffects.com/YQpbQV5dbW-224dCovz-3`. The issuer is also
 *   sent as the parameter `resource`.
 * - The user has no name and no picture. `profile.email_verified` is present only if the auth group adds it.
 */
export default function UnitedEffects<P extends UnitedEffectsProfile = UnitedEffectsProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const server = readServer("united-effects", options)
  return oidcProvider<P>("united-effects", "United Effects", {
    authorization: { params: { scope: "openid email profile", resource: server } },
    // Name and picture become null. Without this function, the core would leave them undefined.
    user: ({ sub, email }) => ({ id: sub, email }),
  })(options)
}
