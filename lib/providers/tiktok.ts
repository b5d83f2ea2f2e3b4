import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig, RefreshContext, TokenRequestContext } from "../provider-kit/provider.js"
import { ownVariable } from "../provider-kit/vendor.js"

/**
 * The signed-in user. Members beyond the scope `user.info.basic` require additional scopes and must be requested by
 * name.
 * @see https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info
 */
export interface TikTokProfile extends OtherMembers {
  data: {
    user: {
      /** Identifies the user within one application. */
      open_id: string
      /** Identifies the user within all applications of one developer. */
      union_id?: string
      avatar_url: string
      avatar_url_100?: string
      avatar_large_url?: string
      display_name: string
      /** This member and the next four require the scope `user.info.profile`. */
      bio_description?: string
      profile_deep_link?: string
      /** Applies to the account, not to the email address. */
      is_verified?: boolean
      username?: string
      profile_web_link?: string
      /** This member and the next three require the scope `user.info.stats`. */
      follower_count?: number
      following_count?: number
      likes_count?: number
      video_count?: number
    }
  }
  /** The code is "ok" on success. */
  error: { code: string; message: string; log_id: string }
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

/** @see https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token */
const refreshTokens = ({ refreshToken, provider, fetch }: RefreshContext): Promise<Response> =>
  fetch(provider.token.url, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams({
      client_key: provider.clientId,
      client_secret: provider.clientSecret,
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    }),
  })

/**
 * Sign-in with TikTok.
 * Environment: `AUTH_TIKTOK_ID` (the client key), `AUTH_TIKTOK_SECRET`.
 * Console: https://developers.tiktok.com/apps, Login Kit for Web
 * - The user has no email address.
 * - The redirect URI must be https, also in development.
 * - The account id is the `open_id`, which differs between applications. `profile.data.user.union_id` is the same in
 *   all applications of one developer.
 */
export default function TikTok<P extends TikTokProfile = TikTokProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return oauthProvider<P>("tiktok", "TikTok", {
    authorization: {
      url: "https://www.tiktok.com/v2/auth/authorize",
      params: { client_key: options.clientId || ownVariable("tiktok", "ID", options), scope: "user.info.basic" },
    },
    scopeSeparator: ",",
    token: { url: "https://open.tiktokapis.com/v2/oauth/token/", request: requestTokens, refresh: refreshTokens },
    userinfo: {
      url: "https://open.tiktokapis.com/v2/user/info/",
      params: { fields: "open_id,union_id,avatar_url,avatar_url_100,avatar_large_url,display_name" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    user({ data }) {
      const { open_id, display_name, avatar_url } = { ...data?.user }
      return { id: open_id, name: display_name, image: avatar_url }
    },
    apiOrigins: ["https://open.tiktokapis.com"],
    brandColor: "#000",
  })(options)
}
