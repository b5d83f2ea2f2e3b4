import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of SimpleLogin's id_token.
 * @see https://simplelogin.io/docs/siwsl/code-flow/
 */
export interface SimpleLoginProfile {
  /** The same number as `sub`. */
  id: number
  /** Identifies the user within one application. */
  sub: string
  /** The user's address, or an alias for the application. */
  email: string
  email_verified: boolean
  name: string
  avatar_url?: string | null
  /** Name of the application. */
  client: string
  // biome-ignore lint/suspicious/noExplicitAny: SimpleLogin adds claims over time, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with SimpleLogin.
 *
 * Environment: `AUTH_SIMPLELOGIN_ID`, `AUTH_SIMPLELOGIN_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/simplelogin`.
 * Console: https://app.simplelogin.io/developer
 *
 * - The application's registration, not the scope, decides which data is shared. SimpleLogin returns the nonce only if
 *   the scope is exactly `openid`.
 * - The picture's address expires after some time.
 *
 * @example
 * import SimpleLogin from "latchkey/providers/simplelogin"
 * app.use(authMiddleware({ providers: [SimpleLogin] }))
 */
export default function SimpleLogin<P extends SimpleLoginProfile = SimpleLoginProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "simplelogin",
    name: "SimpleLogin",
    type: "oidc",
    issuer: "https://app.simplelogin.io",
    authorization: { params: { scope: "openid" } },
    profile({ sub, name, email, avatar_url }) {
      return {
        id: requireId("SimpleLogin", sub),
        name: firstText(name),
        email: firstText(email),
        image: firstText(avatar_url),
      }
    },
    style: { brandColor: "#e3156a" },
    options,
  }
}
