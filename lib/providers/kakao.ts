import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, requireId, userinfoFrom } from "./vendor.js"

/** The person's nickname and picture, as far as they agreed to show them. */
export interface KakaoAccountProfile {
  nickname?: string
  is_default_nickname?: boolean
  /** Of 640 by 640 pixels. */
  profile_image_url?: string
  /** Of 110 by 110 pixels. */
  thumbnail_image_url?: string
  is_default_image?: boolean
}

/** What the person has in their Kakao Account. Each part comes with a consent item of its own. */
export interface KakaoAccount {
  profile_needs_agreement?: boolean
  profile_nickname_needs_agreement?: boolean
  profile_image_needs_agreement?: boolean
  profile?: KakaoAccountProfile
  name_needs_agreement?: boolean
  name?: string
  has_email?: boolean
  email_needs_agreement?: boolean
  /** False when the address has come to belong to another Kakao Account. */
  is_email_valid?: boolean
  /** Did the person prove the address? */
  is_email_verified?: boolean
  email?: string
  age_range_needs_agreement?: boolean
  age_range?: string
  birthyear_needs_agreement?: boolean
  birthyear?: string
  birthday_needs_agreement?: boolean
  birthday?: string
  birthday_type?: "SOLAR" | "LUNAR"
  is_leap_month?: boolean
  gender_needs_agreement?: boolean
  gender?: "female" | "male"
  phone_number_needs_agreement?: boolean
  phone_number?: string
  ci_needs_agreement?: boolean
  ci?: string
  ci_authenticated_at?: string
}

/**
 * The signed-in person.
 * @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api#req-user-info-response
 */
export interface KakaoProfile {
  /** Of this application: another one sees another id of the same person. */
  id: number
  has_signed_up?: boolean
  connected_at?: string
  synched_at?: string
  properties?: Record<string, string>
  kakao_account?: KakaoAccount
  for_partner?: { uuid?: string }
  /** Ours: made from `is_email_valid` and `is_email_verified`. */
  email_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: which members come depends on the consent items, as in the contract
  [member: string]: any
}

// Otherwise pictures have plain http addresses, which pages on https do not show.
const USER_URL = "https://kapi.kakao.com/v2/user/me?secure_resource=true"

/** An address is the person's when they proved it and nobody else has proven it since. */
function toProfile<P extends KakaoProfile>(user: P): P {
  const { is_email_valid, is_email_verified } = user.kakao_account ?? {}
  return { ...user, email_verified: is_email_valid === true && is_email_verified === true }
}

/**
 * Sign-in with Kakao.
 *
 * Environment: `AUTH_KAKAO_ID`, `AUTH_KAKAO_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/kakao`.
 * Console: https://developers.kakao.com/console/app, Kakao Login
 *
 * - `AUTH_KAKAO_ID` is the REST API key. Turn Kakao Login on, and the client secret with it.
 * - What people are asked for is set under Kakao Login, Consent items: nickname, picture, e-mail address. No scope is
 *   sent. Only an app with business verification may ask for the address.
 * - `profile.email_verified` is true when Kakao says both `is_email_valid` and `is_email_verified`.
 *
 * @example
 * import Kakao from "latchkey/providers/kakao"
 * app.use(authMiddleware({ providers: [Kakao] }))
 */
export default function Kakao<P extends KakaoProfile = KakaoProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "kakao",
    name: "Kakao",
    type: "oauth",
    authorization: { url: "https://kauth.kakao.com/oauth/authorize", params: { scope: "" } },
    token: "https://kauth.kakao.com/oauth/token",
    userinfo: userinfoFrom<P>("Kakao", USER_URL, toProfile),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, kakao_account }) {
      const shown = kakao_account?.profile
      return {
        id: requireId("Kakao", id),
        name: firstText(shown?.nickname),
        email: firstText(kakao_account?.email),
        image: firstText(shown?.profile_image_url),
      }
    },
    options,
  }
}
