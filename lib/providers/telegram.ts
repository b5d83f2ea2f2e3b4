import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

/** The claims of Telegram's id_token: https://core.telegram.org/bots/telegram-login */
export interface TelegramProfile extends IdTokenClaims {
  iss: "https://oauth.telegram.org"
  sub: string
  aud: string
  /** Identifies the user in the Bot API. */
  id?: number
  /** Optional, and the user can change it. */
  preferred_username?: string
  /** Requires the scope "phone" and the user's consent. */
  phone_number?: string
}

/**
 * Sign-in with Telegram (OpenID Connect).
 * Console: https://t.me/BotFather, Bot Settings, Web Login
 * - BotFather shows the client id and the client secret under Web Login, where you also register the redirect URI. The
 *   bot's token is neither of them.
 * - The user has no email address.
 * - `scope: "openid profile phone"` requests the phone number. The scope `telegram:bot_access` requests permission to
 *   message the user.
 */
const Telegram = oidcProvider<TelegramProfile>("telegram", "Telegram", {
  issuer: "https://oauth.telegram.org",
  authorization: { params: { scope: "openid profile" } },
  brandColor: "#26A5E4",
})

export default Telegram
