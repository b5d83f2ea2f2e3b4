import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in player, with the scopes `openid`, `profile` and `email`.
 * @see https://docs.faceit.com/getting-started/authentication/oauth2
 */
export interface FaceitProfile {
  /** The player's id in all FACEIT APIs. */
  guid: string
  nickname: string
  email?: string
  picture?: string
  [claim: string]: unknown
}

/**
 * Sign-in with FACEIT.
 *
 * Environment: `AUTH_FACEIT_ID`, `AUTH_FACEIT_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/faceit`.
 * Console: https://developers.faceit.com, App Studio
 *
 * - The redirect URI must be https, also in development.
 * - Enable the scopes `openid`, `profile` and `email` on the client.
 * - Email verification is not documented. `profile.email_verified` is present only if FACEIT sends it.
 *
 * @example
 * import FACEIT from "latchkey/providers/faceit"
 * app.use(authMiddleware({ providers: [FACEIT] }))
 */
export default function FACEIT(options: OAuthUserConfig<FaceitProfile> = {}): OAuth2Config<FaceitProfile> {
  return {
    id: "faceit",
    name: "FACEIT",
    type: "oauth",
    authorization: {
      url: "https://accounts.faceit.com/accounts",
      params: { redirect_popup: "true", scope: "openid profile email" },
    },
    token: "https://api.faceit.com/auth/v1/oauth/token",
    userinfo: "https://api.faceit.com/auth/v1/resources/userinfo",
    profile({ guid, nickname, email, picture }) {
      return {
        id: requireId("FACEIT", guid),
        name: firstText(nickname),
        email: firstText(email),
        image: firstText(picture),
      }
    },
    options,
  }
}
