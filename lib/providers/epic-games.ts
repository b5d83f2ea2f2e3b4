import { oauthProvider } from "../provider-kit/define.js"

/** The userinfo of Epic Account Services: https://dev.epicgames.com/docs/web-api-ref/authentication */
export interface EpicGamesProfile {
  /** The id of the Epic account. */
  sub: string
  /** The display name. */
  preferred_username?: string
  [claim: string]: unknown
}

/**
 * Sign-in with Epic Games (Epic Account Services).
 * Console: https://dev.epicgames.com/portal, your product, Product Settings, Clients
 * - The product needs an application of Epic Account Services that has the permission "Basic Profile" and is linked to
 *   the client. Until this application is approved, only members of your organization can sign in.
 * - The user has no email address and no picture.
 */
const EpicGames = oauthProvider<EpicGamesProfile>("epic-games", "Epic Games", {
  authorization: { url: "https://www.epicgames.com/id/authorize", params: { scope: "basic_profile" } },
  token: "https://api.epicgames.dev/epic/oauth/v2/token",
  revocation: "https://api.epicgames.dev/epic/oauth/v2/revoke",
  userinfo: "https://api.epicgames.dev/epic/oauth/v2/userInfo",
  // PKCE is not documented for the web.
  checks: ["state"],
  user: ({ sub, preferred_username }) => ({ id: sub, name: preferred_username }),
  brandColor: "#313131",
})

export default EpicGames
