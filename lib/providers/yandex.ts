import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, identity, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Yandex ID. The members depend on the scopes.
 * @see https://yandex.com/dev/id/doc/en/user-information
 */
export interface YandexProfile {
  /** A number as a string. */
  id: string
  login: string
  /** The application's client id. */
  client_id: string
  /** Identifies the user within one application. */
  psuid: string
  old_social_login?: string
  /** This and `emails` require the scope `login:email`. */
  default_email?: string
  /** The user's addresses at Yandex. */
  emails?: string[]
  /** This and `default_avatar_id` require the scope `login:avatar`. */
  is_avatar_empty?: boolean
  default_avatar_id?: string
  /** With the scope `login:birthday`: "1987-03-12"; unknown parts are zeros. */
  birthday?: string | null
  /** This and the next four with the scope `login:info`. */
  first_name?: string
  last_name?: string
  display_name?: string
  real_name?: string
  sex?: "male" | "female" | null
  /** With the scope `login:default_phone`. */
  default_phone?: { id: number; number: string }
  // biome-ignore lint/suspicious/noExplicitAny: Yandex adds members over time, as in Auth.js
  [member: string]: any
}

const USER_URL = "https://login.yandex.ru/info?format=json"

/** @see https://yandex.com/dev/id/doc/en/user-information#avatar-access */
const avatarUrl = ({ is_avatar_empty, default_avatar_id }: YandexProfile): string | null =>
  default_avatar_id && !is_avatar_empty ? `https://avatars.yandex.net/get-yapic/${default_avatar_id}/islands-200` : null

/**
 * Sign-in with Yandex ID.
 *
 * Environment: `AUTH_YANDEX_ID`, `AUTH_YANDEX_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/yandex`.
 * Console: https://oauth.yandex.com/, Web services
 *
 * - The application needs the permissions for the address, the name and the picture under Yandex ID API.
 * - Email verification is not documented.
 *
 * @example
 * import Yandex from "latchkey/providers/yandex"
 * app.use(authMiddleware({ providers: [Yandex] }))
 */
export default function Yandex<P extends YandexProfile = YandexProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "yandex",
    name: "Yandex",
    type: "oauth",
    authorization: {
      url: "https://oauth.yandex.ru/authorize",
      params: { scope: "login:info login:email login:avatar" },
    },
    token: "https://oauth.yandex.ru/token",
    // Yandex documents its own authorization scheme instead of Bearer.
    userinfo: userinfoFrom("Yandex", USER_URL, identity<YandexProfile>, ({ tokens }) => ({
      headers: { authorization: `OAuth ${tokens.access_token}` },
    })),
    profile(profile) {
      const { id, display_name, real_name, first_name, default_email, emails } = profile
      return {
        id: requireId("Yandex", id),
        name: firstText(display_name, real_name, first_name),
        email: firstText(default_email, emails?.[0]),
        image: avatarUrl(profile),
      }
    },
    style: { brandColor: "#ffcc00" },
    options,
  }
}
