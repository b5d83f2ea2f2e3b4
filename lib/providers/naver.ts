import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in member. Only the id is always present; the rest depends on the application's request and the user's
 * consent.
 * @see https://developers.naver.com/docs/login/profile/profile.md
 */
export interface NaverProfile {
  /** "00" on success. */
  resultcode: string
  message: string
  response: {
    /** Unique per application. */
    id: string
    nickname?: string
    name?: string
    /** The contact address of the member, at Naver or elsewhere. */
    email?: string
    gender?: "F" | "M" | "U"
    /** A range: "40-49". */
    age?: string
    /** "10-01" */
    birthday?: string
    birthyear?: string
    mobile?: string
    /** Address of the picture. */
    profile_image?: string
  }
  // biome-ignore lint/suspicious/noExplicitAny: Naver adds members over time, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Naver.
 *
 * Environment: `AUTH_NAVER_ID`, `AUTH_NAVER_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/naver`.
 * Console: https://developers.naver.com/apps/, Naver Login
 *
 * - There are no scopes. Select the required data (nickname, email address, picture) in the console.
 * - A member can decline to share the email address. Email verification is not documented.
 *
 * @example
 * import Naver from "latchkey/providers/naver"
 * app.use(authMiddleware({ providers: [Naver] }))
 */
export default function Naver<P extends NaverProfile = NaverProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "naver",
    name: "Naver",
    type: "oauth",
    authorization: { url: "https://nid.naver.com/oauth2.0/authorize", params: { scope: "" } },
    token: "https://nid.naver.com/oauth2.0/token",
    userinfo: "https://openapi.naver.com/v1/nid/me",
    profile({ response }) {
      return {
        id: requireId("Naver", response?.id),
        name: firstText(response.nickname, response.name),
        email: firstText(response.email),
        image: firstText(response.profile_image),
      }
    },
    options,
  }
}
