import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/**
 * The signed-in member. Only the id is always present. The other members depend on the application's request and the
 * user's consent.
 * @see https://developers.naver.com/docs/login/profile/profile.md
 */
export interface NaverProfile extends OtherMembers {
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
}

/**
 * Sign-in with Naver.
 * Console: https://developers.naver.com/apps/, Naver Login
 * - There are no scopes. Select the required data (nickname, email address, picture) in the console.
 * - A member can decline to share the email address. Naver does not document whether email addresses are verified.
 */
const Naver = oauthProvider<NaverProfile>("naver", "Naver", {
  authorization: { url: "https://nid.naver.com/oauth2.0/authorize", params: { scope: "" } },
  token: "https://nid.naver.com/oauth2.0/token",
  userinfo: "https://openapi.naver.com/v1/nid/me",
  user: ({ response }) => ({
    id: response?.id,
    name: firstText(response?.nickname, response?.name),
    email: response?.email,
    image: response?.profile_image,
  }),
  apiOrigins: ["https://openapi.naver.com"],
})

export default Naver
