import { fullName, oauthProvider } from "../provider-kit/define.js"

/** The signed-in user, in FreshBooks' response envelope: https://www.freshbooks.com/api/me_endpoint */
export interface FreshbooksProfile {
  response: {
    id: number
    first_name?: string | null
    last_name?: string | null
    email: string
    language?: string
    created_at?: string
    /** The user's businesses, with the ids that other API calls need. */
    business_memberships?: { id: number; role: string; business: { id: number; name: string; account_id: string } }[]
    [member: string]: unknown
  }
  [member: string]: unknown
}

/**
 * Sign-in with FreshBooks.
 * Console: https://my.freshbooks.com/#/developer
 * - The redirect URI must be https.
 * - Enable the scope `user:profile:read` on the app. latchkey sends no scope, so all scopes of the app apply.
 * - FreshBooks does not document whether email addresses are verified. The user has no picture.
 */
const Freshbooks = oauthProvider<FreshbooksProfile>("freshbooks", "Freshbooks", {
  authorization: { url: "https://auth.freshbooks.com/oauth/authorize", params: { scope: "" } },
  token: "https://api.freshbooks.com/auth/oauth/token",
  userinfo: "https://api.freshbooks.com/auth/api/v1/users/me",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ response: user }) => ({
    id: user?.id,
    name: fullName(user?.first_name, user?.last_name),
    email: user?.email,
  }),
  brandColor: "#0075dd",
})

export default Freshbooks
