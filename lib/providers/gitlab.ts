import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "./provider.js"

/**
 * The signed-in user of GitLab's REST API.
 * @see https://docs.gitlab.com/api/users/#retrieve-the-current-user
 */
export interface GitLabProfile {
  id: number
  username: string
  name: string
  email: string
  /** When the address was confirmed; null while it is not. */
  confirmed_at: string | null
  /** Ours: made from `confirmed_at`. */
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
  // biome-ignore lint/suspicious/noExplicitAny: what more there is depends on the instance, as in the contract
  [member: string]: any
}

type GitLabOptions<P> = OAuthUserConfig<P> & {
  /** An instance of your own, under a path or not. @default "https://gitlab.com" */
  baseUrl?: string | URL | undefined
}

async function fetchProfile<P extends GitLabProfile>(url: URL, context: ProviderContext): Promise<P> {
  const { tokens, fetch = globalThis.fetch } = context
  const headers = { accept: "application/json", authorization: `Bearer ${tokens.access_token}` }
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(`GitLab: ${url.pathname} answered ${response.status}`)
  // As documented; profile() requires the one member that matters.
  const profile = (await response.json()) as P
  // Absent is not the same as null: an instance that does not say leaves the question open.
  return profile.confirmed_at === undefined ? profile : { ...profile, email_verified: Boolean(profile.confirmed_at) }
}

/**
 * Sign-in with GitLab, gitlab.com or an instance of your own.
 *
 * Environment: `AUTH_GITLAB_ID`, `AUTH_GITLAB_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/gitlab`.
 * Console: https://gitlab.com/-/user_settings/applications
 *
 * @example
 * import GitLab from "latchkey/providers/gitlab"
 * app.use(authMiddleware({ providers: [GitLab({ baseUrl: "https://git.example.com" })] }))
 */
export default function GitLab<P extends GitLabProfile = GitLabProfile>(
  options: GitLabOptions<P> = {},
): OAuth2Config<P> {
  const base = String(options.baseUrl ?? "https://gitlab.com").replace(/\/+$/, "")
  const userUrl = `${base}/api/v4/user`
  return {
    id: "gitlab",
    name: "GitLab",
    type: "oauth",
    authorization: { url: `${base}/oauth/authorize`, params: { scope: "read_user" } },
    token: `${base}/oauth/token`,
    userinfo: {
      url: userUrl,
      request: (context: ProviderContext) =>
        fetchProfile<P>(new URL(context.provider.userinfo?.url ?? userUrl), context),
    },
    profile({ sub, id, name, username, email, avatar_url }) {
      // `sub` stands there when an application reads the OpenID Connect userinfo instead; both name the same account.
      const account = sub ?? id
      if (!account) throw new TypeError("GitLab: the profile has no id")
      return { id: String(account), name: name ?? username ?? null, email: email ?? null, image: avatar_url ?? null }
    },
    style: { brandColor: "#FC6D26" },
    options,
  }
}
