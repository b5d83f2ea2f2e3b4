import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Box.
 * @see https://developer.box.com/reference/get-users-me/
 */
export interface BoxProfile {
  id: string
  type: string
  name: string
  /** The primary email address. */
  login: string
  avatar_url: string
  created_at: string
  modified_at: string
  language: string
  timezone: string
  status: string
  job_title: string
  phone: string
  address: string
  // biome-ignore lint/suspicious/noExplicitAny: Box adds members over time, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Box.
 *
 * Environment: `AUTH_BOX_ID`, `AUTH_BOX_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/box`.
 * Console: https://app.box.com/developers/console, a custom app with user authentication (OAuth 2.0)
 *
 * - No scope is sent; the app's scopes apply.
 * - The email address is the login. Email verification is not documented.
 *
 * @example
 * import Box from "latchkey/providers/box"
 * app.use(authMiddleware({ providers: [Box] }))
 */
export default function Box<P extends BoxProfile = BoxProfile>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> {
  return {
    id: "box",
    name: "Box",
    type: "oauth",
    authorization: { url: "https://account.box.com/api/oauth2/authorize", params: { scope: "" } },
    token: "https://api.box.com/oauth2/token",
    userinfo: "https://api.box.com/2.0/users/me",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, name, login, avatar_url }) {
      return {
        id: requireId("Box", id),
        name: firstText(name, login),
        email: firstText(login),
        image: firstText(avatar_url),
      }
    },
    style: { brandColor: "#0075C9" },
    options,
  }
}
