import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** @see https://developers.frontegg.com/ciam/guides/security-center/token-management/claims */
export interface FronteggProfile extends IdTokenClaims {
  type?: string
  /** The user's current tenant, one of `tenantIds`. */
  tenantId?: string
  tenantIds?: string[]
  profilePictureUrl?: string | null
  roles?: string[]
  permissions?: string[]
  metadata?: Record<string, unknown>
}

/**
 * Sign-in with Frontegg.
 * Console: https://portal.frontegg.com, Authentication, Login method, Hosted login
 * - The issuer is the environment's domain: `https://my-app.frontegg.com`, or your custom domain.
 * - `profile.email_verified` comes from Frontegg. A token template can omit this claim.
 * - The image is `profilePictureUrl`.
 */
export default function Frontegg<P extends FronteggProfile = FronteggProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const server = readServer("frontegg", options)
  return oidcProvider<P>("frontegg", "Frontegg", {
    ...(server && {
      wellKnown: `${server}/oauth/.well-known/openid-configuration`,
      authorization: `${server}/oauth/authorize`,
      token: `${server}/oauth/token`,
      userinfo: `${server}/identity/resources/users/v2/me`,
    }),
    user: ({ sub, name, email, profilePictureUrl }) => ({ id: sub, name, email, image: profilePictureUrl }),
  })(options)
}
