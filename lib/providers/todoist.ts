import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The relevant members of Todoist's user object.
 * @see https://developer.todoist.com/api/v1/#tag/User
 */
export interface TodoistProfile {
  id: string
  email: string
  full_name: string
  /** Whether the address is verified. "legacy" marks accounts from before August 2022. */
  verification_status: "unverified" | "verified" | "blocked" | "legacy"
  /** Added by latchkey: true if `verification_status` is "verified". */
  email_verified?: boolean
  /** 195 pixels wide. */
  avatar_big: string | null
  avatar_medium: string | null
  avatar_s640: string | null
  avatar_small: string | null
  lang: string
  joined_at: string
  is_premium: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a user has many settings, as in Auth.js
  [member: string]: any
}

const toProfile = <P extends TodoistProfile>(user: P): P => ({
  ...user,
  email_verified: user.verification_status === "verified",
})

/**
 * Sign-in with Todoist.
 *
 * Environment: `AUTH_TODOIST_ID`, `AUTH_TODOIST_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/todoist`.
 * Console: https://app.todoist.com/app/settings/integrations/app-management
 *
 * - `profile.email_verified` is derived from Todoist's `verification_status`. It is false for accounts from before
 *   August 2022 that never verified their address.
 * - The smallest scope, `data:read`, also allows reading tasks.
 *
 * @example
 * import Todoist from "latchkey/providers/todoist"
 * app.use(authMiddleware({ providers: [Todoist] }))
 */
export default function Todoist<P extends TodoistProfile = TodoistProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "todoist",
    name: "Todoist",
    type: "oauth",
    authorization: { url: "https://todoist.com/oauth/authorize", params: { scope: "data:read" } },
    token: "https://todoist.com/oauth/access_token",
    userinfo: userinfoFrom<P>("Todoist", "https://api.todoist.com/api/v1/user", toProfile),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, full_name, email, avatar_big }) {
      return {
        id: requireId("Todoist", id),
        name: firstText(full_name),
        email: firstText(email),
        image: firstText(avatar_big),
      }
    },
    style: { brandColor: "#E44332" },
    options,
  }
}
