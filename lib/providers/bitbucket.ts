import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/** A link of Bitbucket's API. */
export interface Link {
  href: string
}

/**
 * The signed-in user of Bitbucket Cloud.
 * @see https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/#api-user-get
 */
export interface BitbucketProfile {
  type: string
  /** A UUID in braces. */
  uuid: string
  /** The id of the Atlassian account. */
  account_id: string
  account_status: string
  display_name: string
  nickname: string
  username?: string
  created_on: string
  links: {
    self?: Link
    avatar?: Link
    html?: Link
    repositories?: Link
    snippets?: Link
    hooks?: Link
  }
  has_2fa_enabled?: boolean | null
  is_staff?: boolean
  location?: string | null
  // biome-ignore lint/suspicious/noExplicitAny: Bitbucket adds members over time, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Bitbucket Cloud.
 *
 * Environment: `AUTH_BITBUCKET_ID` (the consumer's key), `AUTH_BITBUCKET_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/bitbucket`.
 * Console: https://bitbucket.org/account/workspaces/, the workspace's settings, OAuth consumers
 *
 * - The consumer needs the permission "Account: Read".
 * - No email address: Bitbucket serves it from a separate endpoint, which is not called.
 *
 * @example
 * import Bitbucket from "latchkey/providers/bitbucket"
 * app.use(authMiddleware({ providers: [Bitbucket] }))
 */
export default function Bitbucket<P extends BitbucketProfile = BitbucketProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "bitbucket",
    name: "Bitbucket",
    type: "oauth",
    authorization: { url: "https://bitbucket.org/site/oauth2/authorize", params: { scope: "account" } },
    token: "https://bitbucket.org/site/oauth2/access_token",
    userinfo: "https://api.bitbucket.org/2.0/user",
    profile({ account_id, display_name, username, nickname, links }) {
      return {
        id: requireId("Bitbucket", account_id),
        name: firstText(display_name, username, nickname),
        email: null,
        image: firstText(links?.avatar?.href),
      }
    },
    style: { brandColor: "#205081" },
    options,
  }
}
