import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, requireId, userinfoFrom } from "./vendor.js"

/**
 * The signed-in person of Linear's GraphQL API, as far as the provider asks.
 * @see https://linear.app/developers/graphql#queries-and-mutations
 */
export interface LinearProfile {
  /** Of the person in this workspace. */
  id: string
  /** The full name. */
  name: string
  /** The nickname, unique in the workspace. */
  displayName: string
  email: string
  avatarUrl: string | null
  organization: { id: string; name: string; urlKey: string }
  // biome-ignore lint/suspicious/noExplicitAny: an application asks for more with a userinfo of its own
  [member: string]: any
}

interface Answer<P> {
  data?: { viewer?: P } | null
  errors?: readonly { message?: string }[]
}

const API_URL = "https://api.linear.app/graphql"
const query = "{ viewer { id name displayName email avatarUrl organization { id name urlKey } } }"

/** GraphQL says what went wrong with status 200 too. */
function viewerOf<P>({ data, errors }: Answer<P>): P {
  if (!data?.viewer) throw new Error(`Linear: ${errors?.[0]?.message ?? "the answer names nobody"}`)
  return data.viewer
}

/**
 * Sign-in with Linear.
 *
 * Environment: `AUTH_LINEAR_ID`, `AUTH_LINEAR_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/linear`.
 * Console: https://linear.app/settings/api/applications
 *
 * - An account is a person in one workspace, `profile.organization`: somebody of two workspaces is two accounts.
 * - Linear has no scope that shows only who somebody is. `read`, the smallest, reads what the person reads.
 * - Linear separates scopes with commas: `scope: "read,write"`.
 * - Linear's documentation does not say whether an address was proven, and `profile.email_verified` is not set.
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
