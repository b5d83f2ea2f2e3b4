import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/** @see https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload */
export interface GoogleProfile extends IdTokenClaims {
  azp: string
  email: string
  email_verified: boolean
  name: string
  picture: string
  /** The Workspace domain the account belongs to. */
  hd?: string
}

/** The names under which Google returns these scopes. */
const SCOPE_NAMES: Readonly<Record<string, string>> = {
  email: "https://www.googleapis.com/auth/userinfo.email",
  profile: "https://www.googleapis.com/auth/userinfo.profile",
}

/** Options of the factory. */
export type GoogleOptions<P> = OIDCUserConfig<P> & {
  /**
   * Accepts only users of this Workspace domain, or of one of these domains. "*" accepts users of any Workspace.
   * @default all users
   */
  hd?: string | readonly string[] | undefined
}

/** Returns the domains of the option `hd` in lower case, as Google returns them. Undefined without the option. */
function toDomains(hd: string | readonly string[] | undefined): string[] | undefined {
  const domains = (typeof hd === "string" ? [hd] : hd)?.map((domain) => domain.trim().toLowerCase())
  if (domains && (domains.length === 0 || domains.includes("")))
    throw new TypeError(
      `Google: hd is ${JSON.stringify(hd)}, which is not a domain. Write { hd: "example.com" }, or omit it`,
    )
  return domains
}

/**
 * Sign-in with Google.
 * Console: https://console.cloud.google.com/apis/credentials, OAuth client ID, Web application
 * - To accept only users of one Workspace, set `Google({ hd: "example.com" })`. `hd` can also be a list of domains, or
 *   `"*"` for any Workspace. Google uses `hd` only to select the accounts that it offers. latchkey checks the signed
 *   claim `hd`, and other users get the error AccessDenied. Your own `isAllowed` is called only for users who pass this
 *   check.
 * - `profile.email_verified` comes from Google. An address outside Gmail and Workspace (no `hd`) was verified once, but
 *   may since belong to another user.
 * - To get a refresh token, set `authorization: { params: { access_type: "offline", prompt: "consent" } }`.
 * @throws TypeError if `hd` is not a domain
 */
export default function Google<P extends GoogleProfile = GoogleProfile>(options: GoogleOptions<P> = {}): OIDCConfig<P> {
  const domains = toDomains(options.hd)
  const { isAllowed } = options
  const isOfDomain = ({ hd }: P): boolean =>
    Boolean(hd) && Boolean(domains?.some((domain) => domain === "*" || domain === hd?.toLowerCase()))
  return oidcProvider<P>("google", "Google", {
    issuer: "https://accounts.google.com",
    ...(domains && {
      // The parameter accepts one domain and is only a hint, because users can remove it from the URL.
      authorization: { params: { hd: domains.length === 1 ? domains[0] : "*" } },
      isAllowed: isOfDomain,
    }),
    credentialShapes: { clientId: /\.apps\.googleusercontent\.com$/, clientSecret: /^GOCSPX-[\w-]+$/ },
    canonicalScope: (scope) => SCOPE_NAMES[scope] ?? scope,
    apiOrigins: ["www", "gmail", "people", "docs", "sheets", "slides", "tasks"].map(
      (name) => `https://${name}.googleapis.com`,
    ),
    brandColor: "#1a73e8",
  })(
    // Options replace members of the definition, so the application's isAllowed alone would accept every domain.
    domains && isAllowed ? { ...options, isAllowed: (profile) => isOfDomain(profile) && isAllowed(profile) } : options,
  )
}
