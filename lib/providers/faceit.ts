import { oauthProvider } from "../provider-kit/define.js"

/** @see https://docs.faceit.com/getting-started/authentication/oauth2 */
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
 * Console: https://developers.faceit.com, App Studio
 * - The redirect URI must be https, also in development.
 * - Enable the scopes `openid`, `profile` and `email` on the client.
 * - FACEIT does not document whether email addresses are verified. `profile.email_verified` is present only if FACEIT
 *   sends it.
 */
const FACEIT = oauthProvider<FaceitProfile>("faceit", "FACEIT", {
  authorization: {
    url: "https://accounts.faceit.com/accounts",
    params: { redirect_popup: "true", scope: "openid profile email" },
  },
  token: "https://api.faceit.com/auth/v1/oauth/token",
  userinfo: "https://api.faceit.com/auth/v1/resources/userinfo",
  user: ({ guid, nickname, email, picture }) => ({ id: guid, name: nickname, email, image: picture }),
})

export default FACEIT
