import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of Google's id_token.
 * @see https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload
 */
export interface GoogleProfile {
  iss: string
  sub: string
  aud: string
  azp: string
  iat: number
  exp: number
  at_hash?: string
  nonce?: string
  email: string
  email_verified: boolean
  name: string
  given_name?: string
  family_name?: string
  picture: string
  /** The Workspace domain the account belongs to. */
  hd?: string
  // biome-ignore lint/suspicious/noExplicitAny: further claims come with further scopes, as in the contract
  [claim: string]: any
}

/** What the factory takes. */
export type GoogleOptions<P> = OIDCUserConfig<P> & {
  /** Lets in only the people of this Workspace domain, or of these; "*" is any Workspace. @default everybody */
  hd?: string | readonly string[] | undefined
}

/** A domain as Google writes it, in lower case. */
function domainsOf(hd: string | readonly string[] | undefined): string[] | undefined {
  const domains = (typeof hd === "string" ? [hd] : hd)?.map((domain) => domain.trim().toLowerCase())
  if (domains && (domains.length === 0 || domains.includes("")))
    throw new TypeError(
      `Google: hd is ${JSON.stringify(hd)}, which names no domain. Write { hd: "example.com" }, or leave it out`,
    )
  return domains
}

/**
 * Sign-in with Google.
 *
 * Environment: `AUTH_GOOGLE_ID`, `AUTH_GOOGLE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/google`.
 * Console: https://console.cloud.google.com/apis/credentials, OAuth client ID, Web application
 *
 * - Only people of one Workspace: `Google({ hd: "example.com" })`, or a list of domains, or `"*"` for any. Google is asked
 *   to offer these accounts only, and what the signed id_token says of it is held against the option; others get
 *   AccessDenied. An `isAllowed` of your own is asked about those only.
 * - `profile.email_verified` is Google's. An address that is neither of Gmail nor of a Workspace (no `hd`) was proven once,
 *   and may be somebody else's by now.
 * - A refresh token comes with `authorization: { params: { access_type: "offline", prompt: "consent" } }`.
 *
 * @throws TypeError when `hd` names no domain
 * @example
 * import Google from "latchkey/providers/google"
 * app.use(authMiddleware({ providers: [Google] }))
 */
export default function Google<P extends GoogleProfile = GoogleProfile>(options: GoogleOptions<P> = {}): OIDCConfig<P> {
  const domains = domainsOf(options.hd)
  const { isAllowed } = options
  const isOfDomain = ({ hd }: P): boolean =>
    Boolean(hd) && Boolean(domains?.some((domain) => domain === "*" || domain === hd?.toLowerCase()))
  return {
    id: "google",
    name: "Google",
    type: "oidc",
    issuer: "https://accounts.google.com",
    ...(domains && {
      // The parameter takes one domain, and is no more than a hint: anybody can take it out of the address.
      authorization: { params: { hd: domains.length === 1 ? domains[0] : "*" } },
      isAllowed: isOfDomain,
    }),
    credentialShapes: { clientId: /\.apps\.googleusercontent\.com$/, clientSecret: /^GOCSPX-[\w-]+$/ },
    style: { brandColor: "#1a73e8" },
    // An option wins: alone it would let every domain in.
    options:
      domains && isAllowed
        ? { ...options, isAllowed: (profile) => isOfDomain(profile) && isAllowed(profile) }
        : options,
  }
}
