import { firstText, fullName, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { readServer, refusal, repairTokenResponse } from "../provider-kit/vendor.js"

/** The signed-in user: https://api.mattermost.com/#tag/users/operation/GetUser */
export interface MattermostProfile {
  id: string
  username: string
  email: string
  /** Omitted if false. */
  email_verified?: boolean
  first_name: string
  last_name: string
  nickname: string
  roles: string
  locale: string
  auth_service: string
  create_at: number
  update_at: number
  delete_at: number
  [member: string]: unknown
}

/** Converts errors in Mattermost's own format to those of RFC 6749 §5.2. */
const conform = repairTokenResponse(({ id, message }) => refusal(id, message))

/**
 * Sign-in with a Mattermost server.
 * Environment: also `AUTH_MATTERMOST_ISSUER`, the server's address (`https://mattermost.example.com`).
 * Console: `https://mattermost.example.com`, Integrations, OAuth 2.0 Applications
 * - An administrator must enable the OAuth 2.0 service provider under Integration Management.
 * - `profile.email_verified` comes from Mattermost. Some servers do not verify addresses, and administrators can set
 *   the value. Set `allowDangerousEmailAccountLinking` only if you trust the server.
 * - The user has no picture, because Mattermost shows pictures only to a browser with a Mattermost session.
 */
export default function Mattermost(
  options: OAuthUserConfig<MattermostProfile> & { issuer: string | undefined },
): OAuth2Config<MattermostProfile> {
  const server = readServer("mattermost", options)
  return oauthProvider<MattermostProfile>("mattermost", "Mattermost", {
    authorization: server && { url: `${server}/oauth/authorize`, params: { scope: "" } },
    token: server && { url: `${server}/oauth/access_token`, conform },
    userinfo: server && `${server}/api/v4/users/me`,
    client: { token_endpoint_auth_method: "client_secret_post" },
    user: ({ id, username, first_name, last_name, email }) => ({
      id,
      name: firstText(username, fullName(first_name, last_name)),
      email,
    }),
    brandColor: "#000",
  })(options)
}
