import { listOrigins, trimTrailingSlashes } from "../base/text.js"
import { firstText, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "../provider-kit/provider.js"
import { callVendorApi } from "../provider-kit/vendor.js"

/** @see https://docs.github.com/en/rest/users/users#get-the-authenticated-user */
export interface GitHubProfile {
  id: number
  login: string
  name: string | null
  /** The public address. Without a public address, the primary address if it is verified. */
  email: string | null
  /** Added by latchkey if the address comes from `/user/emails`. GitHub's profile does not contain this member. */
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

/** Returns the API's URL. github.com and GHE.com have a separate API host; a self-hosted server uses `/api/v3`. */
function toApiUrl(base: string): string {
  const hostedMatch = /^https:\/\/(github\.com|[\w-]+\.ghe\.com)$/.exec(base)
  return hostedMatch ? `https://api.${hostedMatch[1]}` : `${base}/api/v3`
}

/** The media type that GitHub recommends. */
const HEADERS = { accept: "application/vnd.github+json" }

/**
 * True if the token lacks the permission to read addresses. False if a rate limit is reached, which also has status
 * 403.
 */
function lacksEmailPermission({ status, headers }: Response): boolean {
  const isLimited = headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0"
  return status === 404 || (status === 403 && !isLimited)
}

/** Returns the primary address, or null if it is not verified, because a user can enter any address. */
async function fetchVerifiedEmail(userUrl: URL, context: ProviderContext): Promise<string | null> {
  const url = new URL(userUrl)
  url.pathname += "/emails"
  url.searchParams.set("per_page", "100")
  // Without the permission, the user has no address. Every other failure is an error.
  const { fetch = globalThis.fetch } = context
  const fetchOrEmptyList: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    return lacksEmailPermission(response) ? Response.json([]) : response
  }
  const emails = await callVendorApi<GitHubEmail[]>(
    "GitHub",
    url,
    { ...context, fetch: fetchOrEmptyList },
    { headers: HEADERS },
  )
  return emails.find(({ primary, verified }) => primary && verified === true)?.email ?? null
}

async function fetchProfile(userUrl: URL, context: ProviderContext): Promise<GitHubProfile> {
  const profile = await callVendorApi<GitHubProfile>("GitHub", userUrl, context, { headers: HEADERS })
  if (profile.email) return profile
  const email = await fetchVerifiedEmail(userUrl, context)
  return { ...profile, email, email_verified: email !== null }
}

/**
 * Sign-in with GitHub or GitHub Enterprise.
 * Console: https://github.com/settings/developers, OAuth Apps
 * - If the user has no public address, latchkey reads the primary address from `/user/emails`. If this address is
 *   verified, it is used, with `profile.email_verified: true`. Otherwise the user has no email address.
 * - A public address on github.com is always verified. On a self-hosted server, a public address may be unverified.
 * - A GitHub App needs the permission "Email addresses: read-only". Without this permission, or without the scope
 *   `user:email`, users with no public address have no email address.
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
    // A self-hosted server may return unverified addresses.
    verifiesEmail: toApiUrl(base).startsWith("https://api.") ? "always" : "by claim",
    credentialShapes: { clientId: /^(?:Ov23|Iv\d|Iv23)[\w.]{10,20}$/, clientSecret: /^[\da-f]{40}$/ },
    apiOrigins: listOrigins([userUrl]),
    brandColor: "#24292f",
  })(options)
}
