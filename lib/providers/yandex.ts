import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { identity, userinfoFrom } from "../provider-kit/vendor.js"

/** @see https://yandex.com/dev/id/doc/en/user-information */
export interface YandexProfile extends OtherMembers {
  /** A number as a string. */
  id: string
  login: string
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
  /** For example "1987-03-12"; unknown parts are zeros. Requires the scope `login:birthday`. */
  birthday?: string | null
  /** This member and the next four require the scope `login:info`. */
  first_name?: string
  last_name?: string
  display_name?: string
  real_name?: string
  sex?: "male" | "female" | null
  /** Requires the scope `login:default_phone`. */
  default_phone?: { id: number; number: string }
}

const USER_URL = "https://login.yandex.ru/info?format=json"

/** @see https://yandex.com/dev/id/doc/en/user-information#avatar-access */
const avatarUrl = ({ is_avatar_empty, default_avatar_id }: YandexProfile): string | null =>
  default_avatar_id && !is_avatar_empty ? `https://avatars.yandex.net/get-yapic/${default_avatar_id}/islands-200` : null

/**
 * Sign-in with Yandex ID.
 * Console: https://oauth.yandex.com/, Web services
 * - The application needs the permissions for the email address, the name and the picture under Yandex ID API.
 * - Yandex does not document whether email addresses are verified.
 */
const Yandex = oauthProvider<YandexProfile>("yandex", "Yandex", {
  authorization: {
    url: "https://oauth.yandex.ru/authorize",
    params: { scope: "login:info login:email login:avatar" },
  },
  token: "https://oauth.yandex.ru/token",
  // Yandex documents its own authorization scheme instead of Bearer.
  userinfo: userinfoFrom("Yandex", USER_URL, identity<YandexProfile>, ({ tokens }) => ({
    headers: { authorization: `OAuth ${tokens.access_token}` },
  })),
  user(profile) {
    const { id, display_name, real_name, first_name, default_email, emails } = profile
    return {
      id,
      name: firstText(display_name, real_name, first_name),
      email: firstText(default_email, emails?.[0]),
      image: avatarUrl(profile),
    }
  },
  brandColor: "#ffcc00",
})

export default Yandex
