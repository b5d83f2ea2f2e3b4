import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { fromGraphql, userinfoFrom } from "../provider-kit/vendor.js"

/** @see https://linear.app/developers/graphql#queries-and-mutations */
export interface LinearProfile extends OtherMembers {
  /** Identifies the user in this workspace. */
  id: string
  name: string
  /** The nickname, unique in the workspace. */
  displayName: string
  email: string
  avatarUrl: string | null
  organization: { id: string; name: string; urlKey: string }
}

const API_URL = "https://api.linear.app/graphql"
const query = "{ viewer { id name displayName email avatarUrl organization { id name urlKey } } }"

/**
 * Sign-in with Linear.
 * Console: https://linear.app/settings/api/applications
 * - The account is a user in one workspace (`profile.organization`). A user of two workspaces has two accounts.
 * - The smallest scope, `read`, allows reading everything that the user can read. Scopes are separated by commas:
 *   `scope: "read,write"`.
 * - Linear does not document whether email addresses are verified.
 */
const Linear = oauthProvider<LinearProfile>("linear", "Linear", {
  authorization: { url: "https://linear.app/oauth/authorize", params: { scope: "read" } },
  scopeSeparator: ",",
  token: "https://api.linear.app/oauth/token",
  userinfo: userinfoFrom("Linear", API_URL, fromGraphql<LinearProfile>("Linear", "viewer"), { json: { query } }),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, name, displayName, email, avatarUrl }) => ({
    id,
    name: firstText(name, displayName),
    email,
    image: avatarUrl,
  }),
  apiOrigins: ["https://api.linear.app"],
  brandColor: "#5E6AD2",
})

export default Linear
