import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Pipedrive.
 * @see https://pipedrive.readme.io/docs/marketplace-getting-user-data
 */
export interface PipedriveProfile {
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
    // biome-ignore lint/suspicious/noExplicitAny: Pipedrive adds members over time, as in Auth.js
    [member: string]: any
  }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  [member: string]: any
}

/**
 * Sign-in with Pipedrive.
 *
 * Environment: `AUTH_PIPEDRIVE_ID`, `AUTH_PIPEDRIVE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/pipedrive`.
 * Console: https://app.pipedrive.com/developer-hub
 *
 * - No scope is sent. Select the scopes of the app in the Developer Hub.
 * - Sign-in installs the app for the user's company (`profile.data.company_id`).
 * - Email verification is not documented.
 *
 * @example
 * import Pipedrive from "latchkey/providers/pipedrive"
 * app.use(authMiddleware({ providers: [Pipedrive] }))
 */
export default function Pipedrive<P extends PipedriveProfile = PipedriveProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "pipedrive",
    name: "Pipedrive",
    type: "oauth",
    authorization: { url: "https://oauth.pipedrive.com/oauth/authorize", params: { scope: "" } },
    token: "https://oauth.pipedrive.com/oauth/token",
    userinfo: "https://api.pipedrive.com/v1/users/me",
    profile({ data }) {
      const { name, email, icon_url } = { ...data }
      return {
        id: requireId("Pipedrive", data?.id),
        name: firstText(name),
        email: firstText(email),
        image: firstText(icon_url),
      }
    },
    options,
  }
}
