import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, requireId, serverOf } from "./vendor.js"

/**
 * The signed-in account.
 * @see https://docs.joinmastodon.org/entities/Account/#CredentialAccount
 */
export interface MastodonProfile {
  /** Of this server: another one may have the same for somebody else. */
  id: string
  username: string
  acct: string
  display_name: string
  url: string
  avatar: string
  /** The picture, or what stands still of a moving one. */
  avatar_static: string
  created_at: string
  bot: boolean
  locked: boolean
  note: string
  [member: string]: unknown
}

/**
 * Sign-in with a Mastodon server.
 *
 * Environment: `AUTH_MASTODON_ID`, `AUTH_MASTODON_SECRET`, and the server as `AUTH_MASTODON_ISSUER`
 * (`https://mastodon.social`).
 * Redirect URI: `https://example.com/auth/callback/mastodon`.
 * Console: `https://mastodon.social/settings/applications`
 *
 * - The application needs the scope `read`, which a new one has.
 * - One provider is for one server. Ids are the server's own: give another server's provider an `id` of its own.
 * - There is no e-mail address.
 *
 * @example
 * import Mastodon from "latchkey/providers/mastodon"
 * app.use(authMiddleware({ providers: [Mastodon({ issuer: process.env.AUTH_MASTODON_ISSUER })] }))
 */
export default function Mastodon(
  options: OAuthUserConfig<MastodonProfile> & { issuer: string | undefined },
): OAuth2Config<MastodonProfile> {
  const server = serverOf("mastodon", options)
  return {
    id: "mastodon",
    name: "Mastodon",
    type: "oauth",
    authorization: server && { url: `${server}/oauth/authorize`, params: { scope: "read" } },
    token: server && `${server}/oauth/token`,
    userinfo: server && `${server}/api/v1/accounts/verify_credentials`,
    profile({ id, username, avatar_static }) {
      return {
        id: requireId("Mastodon", id),
        name: firstText(username),
        email: null,
        image: firstText(avatar_static),
      }
    },
    options,
  }
}
