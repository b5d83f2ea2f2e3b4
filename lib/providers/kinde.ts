import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Kinde's id_token.
 * @see https://docs.kinde.com/build/tokens/about-id-tokens/
 */
export interface KindeProfile {
  iss: string
  sub: string
  aud: string[]
  azp: string
  iat: number
  exp: number
  auth_time: number
  jti: string
  at_hash?: string
  name?: string
  given_name?: string
  family_name?: string
  email?: string
  picture?: string
  org_codes?: string[]
  updated_at?: number
  // biome-ignore lint/suspicious/noExplicitAny: an application defines its own claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Kinde.
 *
 * Environment: `AUTH_KINDE_ID`, `AUTH_KINDE_SECRET`, `AUTH_KINDE_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/kinde`.
 * Console: https://app.kinde.com, Settings, Applications, Back-end web
 *
 * - The issuer is the business's domain: `https://my-business.kinde.com`, or your custom domain.
 * - Email verification is not documented.
 *
 * @example
 * import Kinde from "latchkey/providers/kinde"
 * app.use(authMiddleware({ providers: [Kinde({ issuer: process.env.AUTH_KINDE_ISSUER })] }))
 */
export default function Kinde<P extends KindeProfile = KindeProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "kinde",
    name: "Kinde",
    type: "oidc",
    style: { brandColor: "#fff" },
    options,
  }
}
