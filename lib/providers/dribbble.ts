import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Dribbble.
 * @see https://developer.dribbble.com/v2/user/
 */
export interface DribbbleProfile {
  id: number
  name: string
  login: string
  /** Undocumented; used if present. */
  email?: string
  avatar_url: string
  html_url: string
  bio: string
  location: string
  links: Record<string, string>
  can_upload_shot: boolean
  pro: boolean
  followers_count: number
  created_at: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: Dribbble adds members over time, as in Auth.js
  [member: string]: any
}

/** Options of the factory. */
export type DribbbleOptions<P> = OAuthUserConfig<P> & {
  /** "public", or "public upload". @default "public" */
  scope?: string | undefined
}

/**
 * Sign-in with Dribbble.
 *
 * Environment: `AUTH_DRIBBBLE_ID`, `AUTH_DRIBBBLE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/dribbble`.
 * Console: https://dribbble.com/account/applications/new
 *
 * - No email address.
 *
 * @example
 * import Dribbble from "latchkey/providers/dribbble"
 * app.use(authMiddleware({ providers: [Dribbble] }))
 */
export default function Dribbble<P extends DribbbleProfile = DribbbleProfile>(
  options: DribbbleOptions<P> = {},
): OAuth2Config<P> {
  return {
    id: "dribbble",
    name: "Dribbble",
    type: "oauth",
    authorization: { url: "https://dribbble.com/oauth/authorize", params: { scope: options.scope ?? "public" } },
    token: "https://dribbble.com/oauth/token",
    userinfo: "https://api.dribbble.com/v2/user",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, name, login, email, avatar_url }) {
      return {
        id: requireId("Dribbble", id),
        name: firstText(name, login),
        email: firstText(email),
        image: firstText(avatar_url),
      }
    },
    style: { brandColor: "#000" },
    options,
  }
}
