import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { Loose } from "../provider-kit/provider.js"

/** The signed-in user of Pipedrive: https://pipedrive.readme.io/docs/marketplace-getting-user-data */
export interface PipedriveProfile extends OtherMembers {
  success: boolean
  data: {
    id: number
    name: string
    email: string
    phone: string | null
    icon_url: string | null
    locale: string
    timezone_name: string
    activated: boolean
    active_flag: boolean
    is_admin: number
    created: string
    modified: string
    last_login: string
    company_id: number
    company_name: string
    company_domain: string
    [member: string]: Loose
  }
}

/**
 * Sign-in with Pipedrive.
 * Console: https://app.pipedrive.com/developer-hub
 * - latchkey sends no scope. Select the scopes of the app in the Developer Hub.
 * - Sign-in installs the app for the user's company (`profile.data.company_id`).
 * - Pipedrive does not document whether email addresses are verified.
 */
const Pipedrive = oauthProvider<PipedriveProfile>("pipedrive", "Pipedrive", {
  authorization: { url: "https://oauth.pipedrive.com/oauth/authorize", params: { scope: "" } },
  token: "https://oauth.pipedrive.com/oauth/token",
  revocation: "https://oauth.pipedrive.com/oauth/revoke",
  userinfo: "https://api.pipedrive.com/v1/users/me",
  user({ data }) {
    const { name, email, icon_url } = { ...data }
    return { id: data?.id, name, email, image: icon_url }
  },
})

export default Pipedrive
