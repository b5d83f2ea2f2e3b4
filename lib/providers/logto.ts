import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of Logto's id_token.
 * @see https://docs.logto.io/developers/custom-id-token
 */
export interface LogtoProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  at_hash?: string
  name?: string | null
  username?: string | null
  picture?: string | null
  email?: string | null
  email_verified?: boolean
  phone_number?: string | null
  phone_number_verified?: boolean
  roles?: string[]
  organizations?: string[]
  /** "organization:role" */
  organization_roles?: string[]
  created_at?: number
  updated_at?: number
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Logto Cloud or your own Logto server.
 *
 * Environment: `AUTH_LOGTO_ID`, `AUTH_LOGTO_SECRET`, `AUTH_LOGTO_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/logto`.
 * Console: https://cloud.logto.io, Applications, Traditional web
 *
 * - The issuer ends in `/oidc`: `https://my-tenant.logto.app/oidc`.
 * - To get a refresh token, turn on "Always issue refresh token" or set the authorization parameter `prompt:
 *   "consent"`.
 * - Logto reports `email_verified: true` for every address. Allow linking by address only if all addresses are verified
 *   by a code.
 *
 * @example
 * import Logto from "latchkey/providers/logto"
 * app.use(authMiddleware({ providers: [Logto({ issuer: process.env.AUTH_LOGTO_ISSUER })] }))
 */
export default function Logto<P extends LogtoProfile = LogtoProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "logto",
    name: "Logto",
    type: "oidc",
    authorization: { params: { scope: "offline_access openid email profile" } },
    profile({ sub, name, username, email, picture }) {
      return {
        id: requireId("Logto", sub),
        name: firstText(name, username),
        email: firstText(email),
        image: firstText(picture),
      }
    },
    options,
  }
}
