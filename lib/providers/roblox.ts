import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Roblox's id_token.
 * @see https://create.roblox.com/docs/cloud/auth/oauth2-reference#get-v1userinfo
 */
export interface RobloxProfile {
  sub: string
  /** The display name, which can change. */
  name: string
  nickname: string
  /** The username, which can change. */
  preferred_username: string
  /** When the account was created, in seconds. */
  created_at: number
  /** Address of the user's profile page. */
  profile: string
  /** Null while it is rendered, or if it was moderated. */
  picture: string | null
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Roblox.
 *
 * Environment: `AUTH_ROBLOX_ID`, `AUTH_ROBLOX_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/roblox`.
 * Console: https://create.roblox.com/dashboard/credentials, OAuth 2.0 Apps
 *
 * - Enable the scopes `openid` and `profile` of the application.
 * - No email address.
 *
 * @example
 * import Roblox from "latchkey/providers/roblox"
 * app.use(authMiddleware({ providers: [Roblox] }))
 */
export default function Roblox<P extends RobloxProfile = RobloxProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "roblox",
    name: "Roblox",
    type: "oidc",
    issuer: "https://apis.roblox.com/oauth/",
    authorization: { params: { scope: "openid profile" } },
    style: { brandColor: "#5865F2" },
    options,
  }
}
