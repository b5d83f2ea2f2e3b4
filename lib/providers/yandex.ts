import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { asItIs, firstText, requireId, userinfoFrom } from "./vendor.js"

/**
 * The signed-in user of Yandex ID. Which members come depends on the scopes.
 * @see https://yandex.com/dev/id/doc/en/user-information
 */
export interface YandexProfile {
  /** A number, as text. */
  id: string
  login: string
  /** Of the application. */
  client_id: string
  /** Tells a person apart within one application. */
  psuid: string
  old_social_login?: string
  /** With the scope `login:email`, as `emails`. */
  default_email?: string
  /** Addresses at Yandex. */
  emails?: string[]
  /** With the scope `login:avatar`, as `default_avatar_id`. */
  is_avatar_empty?: boolean
  default_avatar_id?: string
  /** With the scope `login:birthday`: "1987-03-12", parts that are not known are zeros. */
  birthday?: string | null
  /** With the scope `login:info`, as the four that follow. */
  first_name?: string
  last_name?: string
  display_name?: string
  real_name?: string
  sex?: "male" | "female" | null
  /** With the scope `login:default_phone`. */
  default_phone?: { id: number; number: string }
  // biome-ignore lint/suspicious/noExplicitAny: Yandex adds members as it grows, as in the contract
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
 * - The application needs the permissions for the address, the name and the picture, all of them under Yandex ID API.
 * - Yandex does not say whether the e-mail address is proven.
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
    // Yandex documents a scheme of its own, where others say Bearer.
    userinfo: userinfoFrom("Yandex", USER_URL, asItIs<YandexProfile>, ({ tokens }) => ({
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
