import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, refusal, repairTokenResponse, requireId, withBearerType } from "../provider-kit/vendor.js"

/**
 * The signed-in user of ClickUp.
 * @see https://developer.clickup.com/reference/getauthorizeduser
 */
export interface ClickUpProfile {
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
    // biome-ignore lint/suspicious/noExplicitAny: ClickUp adds members over time, as in Auth.js
    [member: string]: any
  }
  // biome-ignore lint/suspicious/noExplicitAny: the same
  [member: string]: any
}

/** ClickUp omits token_type and has its own error format. */
const conform = repairTokenResponse((answer) => withBearerType(answer) ?? refusal(answer["ECODE"], answer["err"]))

/**
 * Sign-in with ClickUp.
 *
 * Environment: `AUTH_CLICK_UP_ID`, `AUTH_CLICK_UP_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/click-up`.
 * Console: https://app.clickup.com/settings/apps, by an owner or admin of the workspace
 *
 * - There are no scopes. The user chooses the workspaces that the tokens can access.
 * - Email verification is not documented.
 *
 * @example
 * import ClickUp from "latchkey/providers/click-up"
 * app.use(authMiddleware({ providers: [ClickUp] }))
 */
export default function ClickUp<P extends ClickUpProfile = ClickUpProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "click-up",
    name: "ClickUp",
    type: "oauth",
    authorization: { url: "https://app.clickup.com/api", params: { scope: "" } },
    token: { url: "https://api.clickup.com/api/v2/oauth/token", conform },
    userinfo: "https://api.clickup.com/api/v2/user",
    checks: ["state"],
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ user }) {
      return {
        id: requireId("ClickUp", user?.id),
        name: firstText(user?.username),
        email: firstText(user?.email),
        image: firstText(user?.profilePicture),
      }
    },
    style: { brandColor: "#24292f" },
    options,
  }
}
