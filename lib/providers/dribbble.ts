import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"

/** The signed-in user of Dribbble: https://developer.dribbble.com/v2/user/ */
export interface DribbbleProfile extends OtherMembers {
  id: number
  name: string
  login: string
  /** Dribbble does not document this member. It is used if present. */
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
}

/** Options of the factory. */
export type DribbbleOptions<P> = OAuthUserConfig<P> & {
  /** "public", or "public upload". @default "public" */
  scope?: string | undefined
}

/**
 * Sign-in with Dribbble.
 * Console: https://dribbble.com/account/applications/new
 * - Dribbble's documented profile contains no email address.
 */
export default function Dribbble<P extends DribbbleProfile = DribbbleProfile>(
  options: DribbbleOptions<P> = {},
): OAuth2Config<P> {
  return oauthProvider<P>("dribbble", "Dribbble", {
    authorization: { url: "https://dribbble.com/oauth/authorize", params: { scope: options.scope ?? "public" } },
    token: "https://dribbble.com/oauth/token",
    userinfo: "https://api.dribbble.com/v2/user",
    client: { token_endpoint_auth_method: "client_secret_post" },
    user: ({ id, name, login, email, avatar_url }) => ({ id, name: firstText(name, login), email, image: avatar_url }),
    brandColor: "#000",
  })(options)
}
