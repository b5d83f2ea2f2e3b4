import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The userinfo of Epic Account Services.
 * @see https://dev.epicgames.com/docs/web-api-ref/authentication
 */
export interface EpicGamesProfile {
  /** The Epic account. */
  sub: string
  /** The display name. */
  preferred_username?: string
  [claim: string]: unknown
}

/**
 * Sign-in with Epic Games (Epic Account Services).
 *
 * Environment: `AUTH_EPIC_GAMES_ID`, `AUTH_EPIC_GAMES_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/epic-games`.
 * Console: https://dev.epicgames.com/portal, your product, Product Settings, Clients
 *
 * - The product needs an application of Epic Account Services with the permission "Basic Profile", linked to the
 *   client. Until it is approved, only members of your organization can sign in.
 * - No email address and no picture.
 *
 * @example
 * import EpicGames from "latchkey/providers/epic-games"
 * app.use(authMiddleware({ providers: [EpicGames] }))
 */
export default function EpicGames<P extends EpicGamesProfile = EpicGamesProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "epic-games",
    name: "Epic Games",
    type: "oauth",
    authorization: { url: "https://www.epicgames.com/id/authorize", params: { scope: "basic_profile" } },
    token: "https://api.epicgames.dev/epic/oauth/v2/token",
    userinfo: "https://api.epicgames.dev/epic/oauth/v2/userInfo",
    // PKCE is not documented for the web.
    checks: ["state"],
    profile({ sub, preferred_username }) {
      return { id: requireId("Epic Games", sub), name: firstText(preferred_username), email: null, image: null }
    },
    style: { brandColor: "#313131" },
    options,
  }
}
