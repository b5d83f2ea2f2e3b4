import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in student of the intranet's API: https://api.intra.42.fr/apidoc/2.0/users/me.html */
export interface FortyTwoProfile extends OtherMembers {
  id: number
  email: string
  login: string
  first_name: string
  last_name: string
  /** The name in use, which may differ from the legal name. */
  usual_full_name: string | null
  usual_first_name: string | null
  displayname: string
  url: string
  phone: string | null
  image: { link: string | null; versions: { large: string; medium: string; small: string; micro: string } }
  "staff?": boolean
  correction_point: number
  pool_month: string | null
  pool_year: string | null
  location: string | null
  wallet: number
}

/**
 * Sign-in with the intranet of the 42 school.
 * Console: https://profile.intra.42.fr/oauth/applications
 * - The 42 school does not document whether email addresses are verified.
 */
const FortyTwo = oauthProvider<FortyTwoProfile>("42-school", "42 School", {
  authorization: { url: "https://api.intra.42.fr/oauth/authorize", params: { scope: "public" } },
  token: "https://api.intra.42.fr/oauth/token",
  userinfo: "https://api.intra.42.fr/v2/me",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, usual_full_name, displayname, login, email, image }) => ({
    id,
    name: firstText(usual_full_name, displayname, login),
    email,
    image: image?.link,
  }),
})

export default FortyTwo
