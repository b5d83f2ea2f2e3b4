import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of Telegram's id_token.
 * @see https://core.telegram.org/bots/telegram-login
 */
export interface TelegramProfile {
  iss: "https://oauth.telegram.org"
  /** Names the account here. */
  sub: string
  /** The bot's id. */
  aud: string
  iat: number
  exp: number
  nonce?: string
  /** By which the Bot API knows the person. */
  id?: number
  name?: string
  given_name?: string
  family_name?: string
  /** Many have none, and it can be changed. */
  preferred_username?: string
  picture?: string
  /** With the scope "phone", and only if the person agrees. */
  phone_number?: string
  phone_number_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: further claims come with further scopes
  [claim: string]: any
}

/**
 * Sign-in with Telegram, by its OpenID Connect.
 *
 * Environment: `AUTH_TELEGRAM_ID`, `AUTH_TELEGRAM_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/telegram`.
 * Console: https://t.me/BotFather, Bot Settings, Web Login
 *
 * - The client id and the client secret are those that BotFather shows under Web Login; the bot's token is neither.
 *   Register the redirect URI there.
 * - There is no e-mail address.
 * - `scope: "openid profile phone"` asks for the phone number, `telegram:bot_access` for leave to write to the person.
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
