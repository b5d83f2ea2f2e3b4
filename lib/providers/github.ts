import { listOrigins, trimTrailingSlashes } from "../base/text.js"
import { firstText, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "../provider-kit/provider.js"
import { callVendorApi } from "../provider-kit/vendor.js"

/** @see https://docs.github.com/en/rest/users/users#get-the-authenticated-user */
export interface GitHubProfile {
  id: number
  login: string
  name: string | null
  /** The public address, otherwise the primary one if it is verified. */
  email: string | null
  /** Added by latchkey when the address was looked up. The profile itself does not include it. */
  email_verified?: boolean
  avatar_url: string
  node_id: string
  url: string
  html_url: string
  type: string
  site_admin: boolean
  company: string | null
  blog: string | null
  location: string | null
  hireable: boolean | null
  bio: string | null
  twitter_username?: string | null
  public_repos: number
  public_gists: number
  followers: number
  following: number
  created_at: string
  updated_at: string
  two_factor_authentication?: boolean
  plan?: { name: string; space: number; private_repos: number; collaborators: number }
  [member: string]: unknown
}

/** @see https://docs.github.com/en/rest/users/emails#list-email-addresses-for-the-authenticated-user */
export interface GitHubEmail {
  email: string
  primary: boolean
  verified: boolean
  visibility: "public" | "private" | null
}

/** Options of the factory. */
export type GitHubOptions = OAuthUserConfig<GitHubProfile> & {
  /** The base URL of GitHub Enterprise, for example `https://github.example.com`. */
  enterprise?: { baseUrl?: string | undefined } | undefined
}

/** GitHub's hosted instances have a separate API host; a self-hosted server has the API on a path. */
function toApiUrl(base: string): string {
  const hosted = /^https:\/\/(github\.com|[\w-]+\.ghe\.com)$/.exec(base)
  return hosted ? `https://api.${hosted[1]}` : `${base}/api/v3`
}

/** The media type that GitHub recommends. */
const HEADERS = { accept: "application/vnd.github+json" }

/** Whether the token lacks permission to read addresses, as opposed to a rate limit. */
function isWithheld({ status, headers }: Response): boolean {
  const isLimited = headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0"
  return status === 404 || (status === 403 && !isLimited)
}

/** The primary address if it is verified. A user can enter any address, so unverified ones are ignored. */
async function verifiedEmail(userUrl: URL, context: ProviderContext): Promise<string | null> {
  const url = new URL(userUrl)
  url.pathname += "/emails"
  url.searchParams.set("per_page", "100")
  // A missing permission means no address; every other failure is an error.
  const { fetch = globalThis.fetch } = context
  const orNone: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    return isWithheld(response) ? Response.json([]) : response
  }
  const emails = await callVendorApi<GitHubEmail[]>("GitHub", url, { ...context, fetch: orNone }, { headers: HEADERS })
  return emails.find(({ primary, verified }) => primary && verified === true)?.email ?? null
}

async function fetchProfile(userUrl: URL, context: ProviderContext): Promise<GitHubProfile> {
  const profile = await callVendorApi<GitHubProfile>("GitHub", userUrl, context, { headers: HEADERS })
  if (profile.email) return profile
  const email = await verifiedEmail(userUrl, context)
  return { ...profile, email, email_verified: email !== null }
}

/**
 * Sign-in with GitHub or GitHub Enterprise.
 * Console: https://github.com/settings/developers, OAuth Apps
 * - If the user has no public address, the primary address from `/user/emails` is used if it is verified, with
 *   `profile.email_verified: true`; otherwise the user has no email. A public address on github.com is always verified.
 *   On a self-hosted server it may not be.
 * - A GitHub App needs the permission "Email addresses: read-only"; without it, or without the scope `user:email`,
 *   users have no address.
 * - For GitHub Enterprise (self-hosted or GHE.com), set `enterprise: { baseUrl: "https://github.example.com" }`.
 */
export default function GitHub(options: GitHubOptions = {}): OAuth2Config<GitHubProfile> {
  const base = trimTrailingSlashes(options.enterprise?.baseUrl ?? "https://github.com")
  const userUrl = `${toApiUrl(base)}/user`
  return oauthProvider<GitHubProfile>("github", "GitHub", {
    // GitHub sends `iss` in the authorization response (RFC 9207).
    issuer: `${base}/login/oauth`,
    authorization: { url: `${base}/login/oauth/authorize`, params: { scope: "read:user user:email" } },
    token: `${base}/login/oauth/access_token`,
    userinfo: {
      url: userUrl,
      request: (context: ProviderContext) => fetchProfile(new URL(context.provider.userinfo?.url ?? userUrl), context),
    },
    user: ({ id, name, login, email, avatar_url }) => ({ id, name: firstText(name, login), email, image: avatar_url }),
    // A self-hosted server may not verify addresses.
    verifiesEmail: toApiUrl(base).startsWith("https://api.") ? "always" : "by claim",
    credentialShapes: { clientId: /^(?:Ov23|Iv\d|Iv23)[\w.]{10,20}$/, clientSecret: /^[\da-f]{40}$/ },
    apiOrigins: listOrigins([userUrl]),
    brandColor: "#24292f",
  })(options)
}
