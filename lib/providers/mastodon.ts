import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, readServer, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in account.
 * @see https://docs.joinmastodon.org/entities/Account/#CredentialAccount
 */
export interface MastodonProfile {
  /** Unique on this server only. Another server can use the same id for another user. */
  id: string
  username: string
  acct: string
  display_name: string
  url: string
  avatar: string
  /** The picture, or the static version of an animated one. */
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
 * - The application needs the scope `read`.
 * - Ids are unique per server. Add one provider with its own `id` for each server.
 * - No email address.
 *
 * @example
 * import Mastodon from "latchkey/providers/mastodon"
 * app.use(authMiddleware({ providers: [Mastodon({ issuer: process.env.AUTH_MASTODON_ISSUER })] }))
 */
export default function Mastodon(
  options: OAuthUserConfig<MastodonProfile> & { issuer: string | undefined },
): OAuth2Config<MastodonProfile> {
  const server = readServer("mastodon", options)
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
