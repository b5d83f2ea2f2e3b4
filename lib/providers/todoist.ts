import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** The relevant members of Todoist's user object: https://developer.todoist.com/api/v1/#tag/User */
export interface TodoistProfile extends OtherMembers {
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
}

/**
 * Sign-in with Todoist.
 * Console: https://app.todoist.com/app/settings/integrations/app-management
 * - `profile.email_verified` is derived from Todoist's `verification_status`. It is false for accounts from before
 *   August 2022 that never verified their address.
 * - The smallest scope, `data:read`, also allows reading tasks.
 */
const Todoist = oauthProvider<TodoistProfile>("todoist", "Todoist", {
  authorization: { url: "https://todoist.com/oauth/authorize", params: { scope: "data:read" } },
  scopeSeparator: ",",
  token: "https://todoist.com/oauth/access_token",
  userinfo: userinfoFrom<TodoistProfile>("Todoist", "https://api.todoist.com/api/v1/user", (user) => ({
    ...user,
    email_verified: user.verification_status === "verified",
  })),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, full_name, email, avatar_big }) => ({ id, name: full_name, email, image: avatar_big }),
  apiOrigins: ["https://api.todoist.com"],
  brandColor: "#E44332",
})

export default Todoist
