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

/** Converts Mattermost's API error format. */
const conform = repairTokenResponse(({ id, message }) => refusal(id, message))

/**
 * Sign-in with a Mattermost server.
 * Environment: also the server as `AUTH_MATTERMOST_ISSUER` (`https://mattermost.example.com`).
 * Console: `https://mattermost.example.com`, Integrations, OAuth 2.0 Applications
 * - An administrator must enable the OAuth 2.0 service provider under Integration Management.
 * - `profile.email_verified` comes from Mattermost. A server may not verify addresses, and its administrators can set
 *   the flag: allow linking by address only if you trust the server.
 * - No picture, because Mattermost requires a session to show it.
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
