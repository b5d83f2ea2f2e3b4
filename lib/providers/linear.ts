import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Linear's GraphQL API, with the fields that the provider requests.
 * @see https://linear.app/developers/graphql#queries-and-mutations
 */
export interface LinearProfile {
  /** Identifies the user in this workspace. */
  id: string
  /** The full name. */
  name: string
  /** The nickname, unique in the workspace. */
  displayName: string
  email: string
  avatarUrl: string | null
  organization: { id: string; name: string; urlKey: string }
  // biome-ignore lint/suspicious/noExplicitAny: an application can request more with its own userinfo
  [member: string]: any
}

interface Answer<P> {
  data?: { viewer?: P } | null
  errors?: readonly { message?: string }[]
}

const API_URL = "https://api.linear.app/graphql"
const query = "{ viewer { id name displayName email avatarUrl organization { id name urlKey } } }"

/** GraphQL reports errors with status 200, too. */
function viewerOf<P>({ data, errors }: Answer<P>): P {
  if (!data?.viewer) throw new Error(`Linear: ${errors?.[0]?.message ?? "the response has no user"}`)
  return data.viewer
}

/**
 * Sign-in with Linear.
 *
 * Environment: `AUTH_LINEAR_ID`, `AUTH_LINEAR_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/linear`.
 * Console: https://linear.app/settings/api/applications
 *
 * - An account is a user in one workspace (`profile.organization`). A user of two workspaces has two accounts.
 * - The smallest scope, `read`, can read everything that the user can. Scopes are separated by commas: `scope:
 *   "read,write"`.
 * - Email verification is not documented.
 *
 * @example
 * import Linear from "latchkey/providers/linear"
 * app.use(authMiddleware({ providers: [Linear] }))
 */
export default function Linear<P extends LinearProfile = LinearProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "linear",
    name: "Linear",
    type: "oauth",
    authorization: { url: "https://linear.app/oauth/authorize", params: { scope: "read" } },
    token: "https://api.linear.app/oauth/token",
    userinfo: userinfoFrom<P, Answer<P>>("Linear", API_URL, viewerOf, { json: { query } }),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, name, displayName, email, avatarUrl }) {
      return {
        id: requireId("Linear", id),
        name: firstText(name, displayName),
        email: firstText(email),
        image: firstText(avatarUrl),
      }
    },
    style: { brandColor: "#5E6AD2" },
    options,
  }
}
