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

/**
 * Sign-in with an instance of Gitea or Forgejo: your own, gitea.com, Codeberg.
 *
 * Environment: `AUTH_GITEA_ID`, `AUTH_GITEA_SECRET`, and the instance as `AUTH_GITEA_ISSUER`
 * (`https://git.example.com`, `https://codeberg.org`).
 * Redirect URI: `https://example.com/auth/callback/gitea`.
 * Console: `https://git.example.com/user/settings/applications`, OAuth2 applications
 *
 * - An instance under a path: write the issuer letter by letter as its `/.well-known/openid-configuration` has it, with
 *   the slash at its end or without.
 * - `profile.email_verified` says that the account is active. Where an instance registers people without confirming
 *   their addresses, that proves nothing: allow linking by address only if yours confirms.
 * - The scope `read:user` is there to make the access token a small one: without any of the API's scopes it may do
 *   everything that the person may.
 *
 * @example
 * import Gitea from "latchkey/providers/gitea"
 * app.use(authMiddleware({ providers: [Gitea({ issuer: "https://codeberg.org" })] }))
 */
export default function Gitea<P extends GiteaProfile = GiteaProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "gitea",
    name: "Gitea",
    type: "oidc",
    authorization: { params: { scope: "openid profile email read:user" } },
    style: { brandColor: "#609926" },
    options,
  }
}
