import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** The user's nickname and picture, if the user consented to share them. */
export interface KakaoAccountProfile {
  nickname?: string
  is_default_nickname?: boolean
  /** 640 by 640 pixels. */
  profile_image_url?: string
  /** 110 by 110 pixels. */
  thumbnail_image_url?: string
  is_default_image?: boolean
}

/** The user's Kakao Account. Each member requires its own consent item. */
export interface KakaoAccount {
  profile_needs_agreement?: boolean
  profile_nickname_needs_agreement?: boolean
  profile_image_needs_agreement?: boolean
  profile?: KakaoAccountProfile
  name_needs_agreement?: boolean
  name?: string
  has_email?: boolean
  email_needs_agreement?: boolean
  /** False if the address now belongs to another Kakao Account. */
  is_email_valid?: boolean
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

/** The signed-in user: https://developers.kakao.com/docs/latest/en/kakaologin/rest-api#req-user-info-response */
export interface KakaoProfile extends OtherMembers {
  /** Specific to this application. Other applications receive another id for the same user. */
  id: number
  has_signed_up?: boolean
  connected_at?: string
  synched_at?: string
  properties?: Record<string, string>
  kakao_account?: KakaoAccount
  for_partner?: { uuid?: string }
  /** Added by latchkey: derived from `is_email_valid` and `is_email_verified`. */
  email_verified?: boolean
}

// Without `secure_resource=true`, pictures have http addresses, which browsers block on https pages.
const USER_URL = "https://kapi.kakao.com/v2/user/me?secure_resource=true"

/** Adds `email_verified`: true if the user verified the address and no other account has verified it since. */
function toProfile<P extends KakaoProfile>(user: P): P {
  const { is_email_valid, is_email_verified } = user.kakao_account ?? {}
  return { ...user, email_verified: is_email_valid === true && is_email_verified === true }
}

/**
 * Sign-in with Kakao.
 * Console: https://developers.kakao.com/console/app, Kakao Login
 * - `AUTH_KAKAO_ID` is the REST API key. Turn on Kakao Login and the client secret.
 * - latchkey sends no scope. Configure nickname, picture and email address under Kakao Login, Consent items. Only an
 *   app with business verification can request the email address.
 * - `profile.email_verified` is true if both `is_email_valid` and `is_email_verified` are true.
 */
const Kakao = oauthProvider<KakaoProfile>("kakao", "Kakao", {
  authorization: { url: "https://kauth.kakao.com/oauth/authorize", params: { scope: "" } },
  token: "https://kauth.kakao.com/oauth/token",
  userinfo: userinfoFrom<KakaoProfile>("Kakao", USER_URL, toProfile),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user({ id, kakao_account }) {
    const accountProfile = kakao_account?.profile
    return { id, name: accountProfile?.nickname, email: kakao_account?.email, image: accountProfile?.profile_image_url }
  },
  apiOrigins: ["https://kapi.kakao.com"],
})

export default Kakao
