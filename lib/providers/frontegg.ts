import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, readServer, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of Frontegg's id_token.
 * @see https://developers.frontegg.com/ciam/guides/security-center/token-management/claims
 */
export interface FronteggProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  type?: string
  /** The user's current tenant, one of `tenantIds`. */
  tenantId?: string
  tenantIds?: string[]
  name?: string
  email?: string
  email_verified?: boolean
  profilePictureUrl?: string | null
  roles?: string[]
  permissions?: string[]
  metadata?: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: a token template defines the claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Frontegg.
 *
 * Environment: `AUTH_FRONTEGG_ID`, `AUTH_FRONTEGG_SECRET`, `AUTH_FRONTEGG_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/frontegg`.
 * Console: https://portal.frontegg.com, Authentication, Login method, Hosted login
 *
 * - The issuer is the environment's domain: `https://my-app.frontegg.com`, or your custom domain.
 * - `profile.email_verified` comes from Frontegg. A token template can omit it.
 * - The image is `profilePictureUrl`.
 *
 * @example
 * import Frontegg from "latchkey/providers/frontegg"
 * app.use(authMiddleware({ providers: [Frontegg({ issuer: process.env.AUTH_FRONTEGG_ISSUER })] }))
 */
export default function Frontegg<P extends FronteggProfile = FronteggProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const server = readServer("frontegg", options)
  return {
    id: "frontegg",
    name: "Frontegg",
    type: "oidc",
    ...(server && {
      wellKnown: `${server}/oauth/.well-known/openid-configuration`,
      authorization: `${server}/oauth/authorize`,
      token: `${server}/oauth/token`,
      userinfo: `${server}/identity/resources/users/v2/me`,
    }),
    profile({ sub, name, email, profilePictureUrl }) {
      return {
        id: requireId("Frontegg", sub),
        name: firstText(name),
        email: firstText(email),
        image: firstText(profilePictureUrl),
      }
    },
    options,
  }
}
