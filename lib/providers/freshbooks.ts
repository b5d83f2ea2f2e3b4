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
 * - Enable the scope `user:profile:read` on the app. No scope is sent; the app's scopes apply.
 * - Email verification is not documented. No picture.
 */
const Freshbooks = oauthProvider<FreshbooksProfile>("freshbooks", "Freshbooks", {
  authorization: { url: "https://auth.freshbooks.com/oauth/authorize", params: { scope: "" } },
  token: "https://api.freshbooks.com/auth/oauth/token",
  userinfo: "https://api.freshbooks.com/auth/api/v1/users/me",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ response: person }) => ({
    id: person?.id,
    name: fullName(person?.first_name, person?.last_name),
    email: person?.email,
  }),
  brandColor: "#0075dd",
})

export default Freshbooks
