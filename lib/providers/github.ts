import { trimTrailingSlashes } from "../http/trim-slashes.js"
import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "./provider.js"
import { askVendor, firstText, requireId } from "./vendor.js"

/**
 * The signed-in user of GitHub's REST API, and whether the address is proven.
 * @see https://docs.github.com/en/rest/users/users#get-the-authenticated-user
 */
export interface GitHubProfile {
  id: number
  login: string
  name: string | null
  /** The public address, else the primary one when it is verified. */
  email: string | null
  /** Ours: set when the address was looked up, because the profile itself says nothing of it. */
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

/**
 * One address of a user.
 * @see https://docs.github.com/en/rest/users/emails#list-email-addresses-for-the-authenticated-user
 */
export interface GitHubEmail {
  email: string
  primary: boolean
  verified: boolean
  visibility: "public" | "private" | null
}

/** What the factory takes. */
export type GitHubOptions = OAuthUserConfig<GitHubProfile> & {
  /** For GitHub Enterprise: where it lives, `https://github.example.com` for instance. */
  enterprise?: { baseUrl?: string | undefined } | undefined
}

/** GitHub's own hosts have their API on a host beside; a server of one's own has it on a path. */
function apiOf(base: string): string {
  const hosted = /^https:\/\/(github\.com|[\w-]+\.ghe\.com)$/.exec(base)
  return hosted ? `https://api.${hosted[1]}` : `${base}/api/v3`
}

/** The kind of answer that GitHub recommends to ask for. */
const HEADERS = { accept: "application/vnd.github+json" }

/** The tokens may not be allowed to read addresses; being asked to come back later is another matter. */
function isWithheld({ status, headers }: Response): boolean {
  const isLimited = headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0"
  return status === 404 || (status === 403 && !isLimited)
}

/** The primary address, if it was proven: anybody can enter another person's. */
async function verifiedEmail(userUrl: URL, context: ProviderContext): Promise<string | null> {
  const url = new URL(userUrl)
  url.pathname += "/emails"
  url.searchParams.set("per_page", "100")
  // What is withheld is no address; every other failure is one.
  const { fetch = globalThis.fetch } = context
  const orNone: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    return isWithheld(response) ? Response.json([]) : response
  }
  const emails = await askVendor<GitHubEmail[]>("GitHub", url, { ...context, fetch: orNone }, { headers: HEADERS })
  return emails.find(({ primary, verified }) => primary && verified === true)?.email ?? null
}

async function fetchProfile(userUrl: URL, context: ProviderContext): Promise<GitHubProfile> {
  const profile = await askVendor<GitHubProfile>("GitHub", userUrl, context, { headers: HEADERS })
  if (profile.email) return profile
  const email = await verifiedEmail(userUrl, context)
  return { ...profile, email, email_verified: email !== null }
}

/**
 * Sign-in with GitHub, or with a GitHub Enterprise of your own.
 *
 * Environment: `AUTH_GITHUB_ID`, `AUTH_GITHUB_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/github`.
 * Console: https://github.com/settings/developers, OAuth Apps
 *
 * - Somebody without a public address is asked for at `/user/emails`, and gets the primary one if it is verified, with
 *   `profile.email_verified` true. An unverified address is never taken: that user has no e-mail. A public address is
 *   always a verified one, except on a server of your own, whose profile does not say whether it is verified.
 * - A GitHub App needs the permission "Email addresses: read-only"; without it, or without the scope `user:email`,
 *   people sign in without an address.
 * - GitHub Enterprise, your own server or GHE.com, is `enterprise: { baseUrl: "https://github.example.com" }`.
 *
 * @example
 * import GitHub from "latchkey/providers/github"
 * app.use(authMiddleware({ providers: [GitHub] }))
 */
export default function GitHub(options: GitHubOptions = {}): OAuth2Config<GitHubProfile> {
  const base = trimTrailingSlashes(options.enterprise?.baseUrl ?? "https://github.com")
  const userUrl = `${apiOf(base)}/user`
  return {
    id: "github",
    name: "GitHub",
    type: "oauth",
    // GitHub names itself in its answers (RFC 9207).
    issuer: `${base}/login/oauth`,
    authorization: { url: `${base}/login/oauth/authorize`, params: { scope: "read:user user:email" } },
    token: `${base}/login/oauth/access_token`,
    userinfo: {
      url: userUrl,
      request: (context: ProviderContext) => fetchProfile(new URL(context.provider.userinfo?.url ?? userUrl), context),
    },
    profile({ id, name, login, email, avatar_url }) {
      return {
        id: requireId("GitHub", id),
        name: firstText(name, login),
        email: firstText(email),
        image: firstText(avatar_url),
      }
    },
    // A server of one's own may let users in without confirming an address.
    provesEmail: apiOf(base).startsWith("https://api.") ? "always" : "by claim",
    credentialShapes: { clientId: /^(?:Ov23|Iv\d|Iv23)[\w.]{10,20}$/, clientSecret: /^[\da-f]{40}$/ },
    style: { brandColor: "#24292f" },
    options,
  }
}
