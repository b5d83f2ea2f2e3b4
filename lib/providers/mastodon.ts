import { oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** The signed-in account: https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
export interface MastodonProfile {
  /** Unique on this server only. Another server can use the same id for another user. */
  id: string
  username: string
  acct: string
  display_name: string
  url: string
  avatar: string
  /** The picture, or the static version of an animated picture. */
  avatar_static: string
  created_at: string
  bot: boolean
  locked: boolean
  note: string
  [member: string]: unknown
}

/**
 * Sign-in with a Mastodon server.
 * Environment: also `AUTH_MASTODON_ISSUER`, the server's address (`https://mastodon.social`).
 * Console: `https://mastodon.social/settings/applications`
 * - The application needs the scope `read`.
 * - Account ids are unique only within one server. For several servers, add one provider per server, each with its own
 *   `id`.
 * - The user has no email address.
 */
export default function Mastodon(
  options: OAuthUserConfig<MastodonProfile> & { issuer: string | undefined },
): OAuth2Config<MastodonProfile> {
  const server = readServer("mastodon", options)
  return oauthProvider<MastodonProfile>("mastodon", "Mastodon", {
    authorization: server && { url: `${server}/oauth/authorize`, params: { scope: "read" } },
    token: server && `${server}/oauth/token`,
    ...(server && { revocation: `${server}/oauth/revoke` }),
    userinfo: server && `${server}/api/v1/accounts/verify_credentials`,
    user: ({ id, username, avatar_static }) => ({ id, name: username, image: avatar_static }),
  })(options)
}
