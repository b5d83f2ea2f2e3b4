import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Telegram's id_token.
 * @see https://core.telegram.org/bots/telegram-login
 */
export interface TelegramProfile {
  iss: "https://oauth.telegram.org"
  /** Identifies the account. */
  sub: string
  /** The bot's id. */
  aud: string
  iat: number
  exp: number
  nonce?: string
  /** Identifies the user in the Bot API. */
  id?: number
  name?: string
  given_name?: string
  family_name?: string
  /** Optional, and the user can change it. */
  preferred_username?: string
  picture?: string
  /** With the scope "phone" and the user's consent. */
  phone_number?: string
  phone_number_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims
  [claim: string]: any
}

/**
 * Sign-in with Telegram (OpenID Connect).
 *
 * Environment: `AUTH_TELEGRAM_ID`, `AUTH_TELEGRAM_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/telegram`.
 * Console: https://t.me/BotFather, Bot Settings, Web Login
 *
 * - BotFather shows the client id and the client secret under Web Login, where you also register the redirect URI. The
 *   bot's token is neither of them.
 * - No email address.
 * - `scope: "openid profile phone"` requests the phone number. `telegram:bot_access` requests permission to message the
 *   user.
 *
 * @example
 * import Telegram from "latchkey/providers/telegram"
 * app.use(authMiddleware({ providers: [Telegram] }))
 */
export default function Telegram<P extends TelegramProfile = TelegramProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "telegram",
    name: "Telegram",
    type: "oidc",
    issuer: "https://oauth.telegram.org",
    authorization: { params: { scope: "openid profile" } },
    style: { brandColor: "#26A5E4" },
    options,
  }
}
