import { listOrigins, trimTrailingSlashes } from "../base/text.js"
import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** The signed-in user of GitLab's REST API: https://docs.gitlab.com/api/users/#retrieve-the-current-user */
export interface GitLabProfile extends OtherMembers {
  id: number
  username: string
  name: string
  email: string
  /** When the address was confirmed, or null. */
  confirmed_at: string | null
  /** Added by latchkey: derived from `confirmed_at`. */
  email_verified?: boolean
  avatar_url: string | null
  web_url: string
  state: string
  created_at: string
  bio: string | null
  location: string | null
  public_email: string | null
  commit_email: string | null
  website_url: string
  organization: string | null
  job_title: string | null
  pronouns: string | null
  bot: boolean
  two_factor_enabled: boolean
  external: boolean
  private_profile: boolean
  identities: { provider: string; extern_uid: string }[]
}

/** Options of the factory. */
export type GitLabOptions<P> = OAuthUserConfig<P> & {
  /** The base URL of your own instance, with or without a path. @default "https://gitlab.com" */
  baseUrl?: string | URL | undefined
}

/**
 * Adds `email_verified`, unless the instance does not return `confirmed_at`. Null means that the address is not
 * confirmed.
 */
const toProfile = <P extends GitLabProfile>(user: P): P =>
  user.confirmed_at === undefined ? user : { ...user, email_verified: Boolean(user.confirmed_at) }

/**
 * Sign-in with gitlab.com or your own GitLab instance.
 * Console: https://gitlab.com/-/user_settings/applications
 * - Enable the scope `read_user` on the application.
 * - For your own instance, set `baseUrl`, with or without a path and a trailing slash.
 * - `profile.email_verified` is derived from `confirmed_at`. On your own instance, administrators can confirm addresses
 *   or turn confirmation off. Set `allowDangerousEmailAccountLinking` only if users must confirm their own addresses.
 */
export default function GitLab<P extends GitLabProfile = GitLabProfile>(
  options: GitLabOptions<P> = {},
): OAuth2Config<P> {
  const base = trimTrailingSlashes(String(options.baseUrl ?? "https://gitlab.com"))
  return oauthProvider<P>("gitlab", "GitLab", {
    authorization: { url: `${base}/oauth/authorize`, params: { scope: "read_user" } },
    token: `${base}/oauth/token`,
    revocation: `${base}/oauth/revoke`,
    userinfo: userinfoFrom<P>("GitLab", `${base}/api/v4/user`, toProfile),
    user: ({ sub, id, name, username, email, avatar_url }) => ({
      // `sub` is present if the application reads the OpenID Connect userinfo instead; both identify the same account.
      id: sub ?? id,
      name: firstText(name, username),
      email,
      image: avatar_url,
    }),
    apiOrigins: listOrigins([base]),
    brandColor: "#FC6D26",
  })(options)
}
