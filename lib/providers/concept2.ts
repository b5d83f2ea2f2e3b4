import { firstText, fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { Loose } from "../provider-kit/provider.js"

/** The signed-in user of the Concept2 Logbook: https://log.concept2.com/developers/documentation/ */
export interface Concept2Profile extends OtherMembers {
  data: {
    id: number
    username: string
    first_name: string
    last_name: string
    gender: string
    dob: string
    email: string
    country: string
    profile_image: string | null
    age_restricted: boolean
    email_permission: boolean | null
    max_heart_rate: number | null
    /** In decagrams. */
    weight: number | null
    logbook_privacy: string | null
    [member: string]: Loose
  }
}

/**
 * Sign-in with the Concept2 Logbook.
 * Console: https://log.concept2.com/developers/keys
 * - The default scope includes writing results, as in Auth.js. For sign-in alone, set `authorization: { params: {
 *   scope: "user:read" } }`.
 * - New applications start on the development server `https://log-dev.concept2.com`. To use this server, set its
 *   addresses as `authorization.url`, `token` and `userinfo`.
 * - Concept2 does not document whether email addresses are verified.
 */
const Concept2 = oauthProvider<Concept2Profile>("concept2", "Concept2", {
  authorization: {
    url: "https://log.concept2.com/oauth/authorize",
    params: { scope: "user:read,results:write" },
  },
  scopeSeparator: ",",
  token: "https://log.concept2.com/oauth/access_token",
  userinfo: "https://log.concept2.com/api/users/me",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ data }) => ({
    id: data?.id,
    name: firstText(data?.username, fullName(data?.first_name, data?.last_name)),
    email: data?.email,
    image: data?.profile_image,
  }),
})

export default Concept2
