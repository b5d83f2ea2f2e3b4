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
  /** With the scope "groups": organisations, and teams as "organisation:team". */
  groups?: string[]
}

/** The address of a Gitea instance. */
export interface Instance {
  /** The base URL of Gitea, with or without a path, for example `https://git.example.com`. */
  baseUrl: string | URL | undefined
}

/** The instance's base URL, or the issuer from its metadata. */
export type GiteaOptions<P> = OIDCUserConfig<P> & Partial<Instance> & ({ issuer: string | undefined } | Instance)

const withoutSlash = (address: unknown): string => trimTrailingSlashes(String(address))

/**
 * The issuer of Forgejo and older Gitea versions ends in a slash; newer Gitea versions have none. Both are accepted.
 */
const eitherIssuer: Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">> = {
  conformMetadata: (metadata, issuer) =>
    withoutSlash(metadata["issuer"]) === withoutSlash(issuer) ? { ...metadata, issuer: issuer.href } : metadata,
  issuerOf: ({ iss }, issuer) => (withoutSlash(iss) === withoutSlash(issuer) ? String(iss) : issuer),
}

/**
 * Sign-in with Gitea or Forgejo: your own instance, gitea.com or Codeberg.
 * Environment: also the instance as `AUTH_GITEA_ISSUER` (`https://git.example.com`, `https://codeberg.org`).
 * Console: `https://git.example.com/user/settings/applications`, OAuth2 applications
 * - `baseUrl` also sets the instance, with or without a path and a trailing slash. The option `issuer` takes precedence
 *   over `baseUrl`, which takes precedence over the environment variable.
 * - `profile.email_verified` states that the account is active. Allow linking by address only if your instance confirms
 *   addresses at registration.
 * - The scope `read:user` restricts the access token. Without an API scope the token has all rights of the user.
 * @example
 * import Gitea from "latchkey/providers/gitea"
 * app.use(authMiddleware({ providers: [Gitea({ baseUrl: "https://codeberg.org" })] }))
 */
export default function Gitea<P extends GiteaProfile = GiteaProfile>(options: GiteaOptions<P>): OIDCConfig<P> {
  const { baseUrl } = options
  return oidcProvider<P>("gitea", "Gitea", {
    ...(baseUrl && { issuer: withoutSlash(baseUrl) }),
    ...eitherIssuer,
    authorization: { params: { scope: "openid profile email read:user" } },
    brandColor: "#609926",
  })(options)
}
