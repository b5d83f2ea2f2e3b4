import { trimTrailingSlashes } from "../base/text.js"
import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/** The claims of the id_token of Gitea and Forgejo: https://docs.gitea.com/development/oauth2-provider */
export interface GiteaProfile extends StandardClaims {
  iss: string
  sub: string
  aud: string
  iat?: number
  exp: number
  nonce?: string
  name: string
  /** The login name, which the user can change. */
  preferred_username: string
  profile: string
  picture: string
  website: string
  locale: string
  updated_at: number
  email: string
  email_verified: boolean
  /** Organisations, and teams as "organisation:team". Requires the scope "groups". */
  groups?: string[]
}

/** The address of a Gitea instance. */
export interface Instance {
  /** The base URL of Gitea, with or without a path, for example `https://git.example.com`. */
  baseUrl: string | URL | undefined
}

/** Options of the factory, which require the instance's base URL, or the issuer from the instance's metadata. */
export type GiteaOptions<P> = OIDCUserConfig<P> & Partial<Instance> & ({ issuer: string | undefined } | Instance)

const withoutSlash = (address: unknown): string => trimTrailingSlashes(String(address))

/**
 * Accepts the issuer with and without a trailing slash. The issuer of Forgejo and of older Gitea versions has the
 * slash, and the issuer of newer Gitea versions does not.
 */
const slashIssuerRules: Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">> = {
  conformMetadata: (metadata, issuer) =>
    withoutSlash(metadata["issuer"]) === withoutSlash(issuer) ? { ...metadata, issuer: issuer.href } : metadata,
  issuerOf: ({ iss }, issuer) => (withoutSlash(iss) === withoutSlash(issuer) ? String(iss) : issuer),
}

/**
 * Sign-in with Gitea or Forgejo: your own instance, gitea.com or Codeberg.
 * Environment: also `AUTH_GITEA_ISSUER`, the address of the instance (`https://git.example.com` or
 * `https://codeberg.org`).
 * Console: `https://git.example.com/user/settings/applications`, OAuth2 applications
 * - The option `baseUrl` also sets this address, with or without a path and a trailing slash. The option `issuer` takes
 *   precedence over `baseUrl`, which takes precedence over the environment variable.
 * - `profile.email_verified` is true if the account is active. Set `allowDangerousEmailAccountLinking` only if your
 *   instance confirms addresses at registration.
 * - The scope `read:user` restricts the access token. Without an API scope the token has all rights of the user.
 * @example
 * import Gitea from "latchkey/providers/gitea"
 * app.use(authMiddleware({ providers: [Gitea({ baseUrl: "https://codeberg.org" })] }))
 */
export default function Gitea<P extends GiteaProfile = GiteaProfile>(options: GiteaOptions<P>): OIDCConfig<P> {
  const { baseUrl } = options
  return oidcProvider<P>("gitea", "Gitea", {
    ...(baseUrl && { issuer: withoutSlash(baseUrl) }),
    ...slashIssuerRules,
    authorization: { params: { scope: "openid profile email read:user" } },
    brandColor: "#609926",
  })(options)
}
