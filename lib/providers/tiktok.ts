import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "./provider.js"
import { firstText, ownVariableOf, requireId } from "./vendor.js"

/**
 * What TikTok answers of the signed-in user. Members beyond those of the scope `user.info.basic` come with further
 * scopes, when they are asked for by name.
 * @see https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info
 */
export interface TikTokProfile {
  data: {
    user: {
      /** Tells a person apart within one application. */
      open_id: string
      /** Tells a person apart within all applications of one developer. */
      union_id?: string
      avatar_url: string
      avatar_url_100?: string
      avatar_large_url?: string
      display_name: string
      /** With the scope `user.info.profile`, as the four that follow. */
      bio_description?: string
      profile_deep_link?: string
      /** Of the account, not of an e-mail address. */
      is_verified?: boolean
      username?: string
      profile_web_link?: string
      /** With the scope `user.info.stats`, as the three that follow. */
      follower_count?: number
      following_count?: number
      likes_count?: number
      video_count?: number
    }
  }
  /** The code is "ok" when there is none. */
  error: { code: string; message: string; log_id: string }
  // biome-ignore lint/suspicious/noExplicitAny: TikTok adds members as it grows, as in the contract
  [member: string]: any
}

/** @see https://developers.tiktok.com/doc/oauth-user-access-token-management */
function requestTokens({ params, checks, provider, redirect_uri, fetch }: TokenRequestContext): Promise<Response> {
  const { code_verifier } = checks
  const body = new URLSearchParams({
    // TikTok's name for the client_id.
    client_key: provider.clientId,
    client_secret: provider.clientSecret,
    code: params.code,
    grant_type: "authorization_code",
    redirect_uri,
    ...(code_verifier && { code_verifier }),
  })
  return fetch(provider.token.url, { method: "POST", headers: { accept: "application/json" }, body })
}

/**
 * Sign-in with TikTok.
 *
 * Environment: `AUTH_TIKTOK_ID` (the client key), `AUTH_TIKTOK_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/tiktok`.
 * Console: https://developers.tiktok.com/apps, Login Kit for Web
 *
 * - TikTok gives no e-mail address.
 * - The redirect URI must begin with https, on a developer's machine too.
 * - The account is the `open_id`, which is another in each application; `profile.data.user.union_id` is the same in all
 *   applications of one developer.
 *
 * @example
 * import TikTok from "latchkey/providers/tiktok"
 * app.use(authMiddleware({ providers: [TikTok] }))
 */
export default function TikTok<P extends TikTokProfile = TikTokProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "tiktok",
    name: "TikTok",
    type: "oauth",
    authorization: {
      url: "https://www.tiktok.com/v2/auth/authorize",
      params: { client_key: options.clientId || ownVariableOf("tiktok", "ID", options), scope: "user.info.basic" },
    },
    token: { url: "https://open.tiktokapis.com/v2/oauth/token/", request: requestTokens },
    userinfo: {
      url: "https://open.tiktokapis.com/v2/user/info/",
      params: { fields: "open_id,union_id,avatar_url,avatar_url_100,avatar_large_url,display_name" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ data }) {
      const { open_id, display_name, avatar_url } = { ...data?.user }
      return {
        id: requireId("TikTok", open_id),
        name: firstText(display_name),
        email: null,
        image: firstText(avatar_url),
      }
    },
    style: { brandColor: "#000" },
    options,
  }
}
