import { trimTrailingSlashes } from "../http/trim-slashes.js"
import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of the id_token of Gitea and Forgejo.
 * @see https://docs.gitea.com/development/oauth2-provider
 */
export interface GiteaProfile {
  iss: string
  /** The account's number, as text. */
  sub: string
  aud: string
  iat?: number
  exp: number
  nonce?: string
  name: string
  /** The login; a person can change it. */
  preferred_username: string
  /** Address of the person's page. */
  profile: string
  picture: string
  website: string
  locale: string
  updated_at: number
  email: string
  email_verified: boolean
  /** With the scope "groups": organisations, and teams as "organisation:team". */
  groups?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: what more there is depends on the instance and the scopes
  [claim: string]: any
}

/** The address of a Gitea instance. */
export interface Instance {
  /** Where Gitea lives, under a path or not: `https://git.example.com` for instance. */
  baseUrl: string | URL | undefined
}

/** The instance by its address, or by the issuer that its metadata name. */
export type GiteaOptions<P> = OIDCUserConfig<P> & Partial<Instance> & ({ issuer: string | undefined } | Instance)

const withoutSlash = (address: unknown): string => trimTrailingSlashes(String(address))

/** Forgejo and older versions of Gitea end their issuer in a slash, others do not, and neither is seen in an address. */
const eitherIssuer: Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">> = {
  conformMetadata: (metadata, issuer) =>
    withoutSlash(metadata["issuer"]) === withoutSlash(issuer) ? { ...metadata, issuer: issuer.href } : metadata,
  issuerOf: ({ iss }, issuer) => (withoutSlash(iss) === withoutSlash(issuer) ? String(iss) : issuer),
}

/**
 * Sign-in with an instance of Gitea or Forgejo: your own, gitea.com, Codeberg.
 *
 * Environment: `AUTH_GITEA_ID`, `AUTH_GITEA_SECRET`, and the instance as `AUTH_GITEA_ISSUER`
 * (`https://git.example.com`, `https://codeberg.org`).
 * Redirect URI: `https://example.com/auth/callback/gitea`.
 * Console: `https://git.example.com/user/settings/applications`, OAuth2 applications
 *
 * - The instance's address can be given as `baseUrl` too, like GitLab's. Under a path or not, with a slash at the end or
 *   without, either will do. An option `issuer` wins over it, and it over the variable.
 * - `profile.email_verified` says that the account is active. Where an instance registers people without confirming
 *   their addresses, that proves nothing: allow linking by address only if yours confirms.
 * - The scope `read:user` is there to make the access token a small one: without any of the API's scopes it may do
 *   everything that the person may.
 *
 * @example
 * import Gitea from "latchkey/providers/gitea"
 * app.use(authMiddleware({ providers: [Gitea({ baseUrl: "https://codeberg.org" })] }))
 */
export default function Gitea<P extends GiteaProfile = GiteaProfile>(options: GiteaOptions<P>): OIDCConfig<P> {
  const { baseUrl } = options
  return {
    id: "gitea",
    name: "Gitea",
    type: "oidc",
    ...(baseUrl && { issuer: withoutSlash(baseUrl) }),
    ...eitherIssuer,
    authorization: { params: { scope: "openid profile email read:user" } },
    style: { brandColor: "#609926" },
    options,
  }
}
