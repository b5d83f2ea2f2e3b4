import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { Loose } from "../provider-kit/provider.js"
import { refusal, repairTokenResponse, withBearerType } from "../provider-kit/vendor.js"

/** The signed-in user of ClickUp: https://developer.clickup.com/reference/getauthorizeduser */
export interface ClickUpProfile extends OtherMembers {
  user: {
    id: number
    username: string
    email: string
    color: string
    profilePicture: string | null
    initials: string
    week_start_day: number | null
    global_font_support: boolean | null
    timezone: string
    [member: string]: Loose
  }
}

/** ClickUp omits token_type and has its own error format. */
const conform = repairTokenResponse((body) => withBearerType(body) ?? refusal(body["ECODE"], body["err"]))

/**
 * Sign-in with ClickUp.
 * Console: https://app.clickup.com/settings/apps, as an owner or admin of the workspace
 * - There are no scopes. The user chooses the workspaces that the tokens can access.
 * - ClickUp does not document whether email addresses are verified.
 */
const ClickUp = oauthProvider<ClickUpProfile>("click-up", "ClickUp", {
  authorization: { url: "https://app.clickup.com/api", params: { scope: "" } },
  token: { url: "https://api.clickup.com/api/v2/oauth/token", conform },
  userinfo: "https://api.clickup.com/api/v2/user",
  checks: ["state"],
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ user }) => ({ id: user?.id, name: user?.username, email: user?.email, image: user?.profilePicture }),
  apiOrigins: ["https://api.clickup.com"],
  brandColor: "#24292f",
})

export default ClickUp
