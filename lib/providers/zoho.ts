import { firstText, fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** The signed-in user of Zoho: https://www.zoho.com/accounts/protocol/oauth/use-access-token.html */
export interface ZohoProfile extends OtherMembers {
  ZUID: number
  Email: string
  First_Name: string
  Last_Name: string
  Display_Name: string
}

const BASE = "https://accounts.zoho.com/oauth"

/**
 * Sign-in with Zoho.
 * Console: https://api-console.zoho.com/, Server-based Applications
 * - The default data centre is the United States. For another data centre, set `authorization`, `token` and `userinfo`
 *   to the addresses of that data centre, for example at `https://accounts.zoho.eu`.
 * - Zoho does not document whether email addresses are verified.
 */
const Zoho = oauthProvider<ZohoProfile>("zoho", "Zoho", {
  authorization: { url: `${BASE}/v2/auth`, params: { scope: "AaaServer.profile.Read" } },
  token: `${BASE}/v2/token`,
  userinfo: `${BASE}/user/info`,
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ ZUID, First_Name, Last_Name, Display_Name, Email }) => ({
    id: ZUID,
    name: fullName(First_Name, Last_Name) ?? firstText(Display_Name),
    email: Email,
  }),
})

export default Zoho
