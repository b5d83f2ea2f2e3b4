import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig, RefreshContext, TokenRequestContext } from "../provider-kit/provider.js"
import {
  ownVariable,
  refusal,
  repairTokenResponse,
  requestUrl,
  userinfoFrom,
  type VendorContext,
  withBearerType,
} from "../provider-kit/vendor.js"

/** The signed-in user of WeChat: https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsuserinfo.html */
export interface WeChatProfile extends OtherMembers {
  /** Identifies the user within one application. */
  openid: string
  nickname: string
  /** 1 is male, 2 is female, 0 is not specified. */
  sex: number
  province: string
  city: string
  country: string
  /** The URL of the user's image, or "" if the user has no image. */
  headimgurl: string
  privilege: string[]
  /** Identifies the user in all applications of one Open Platform account; absent without such an account. */
  unionid?: string
  /** Added by latchkey: the `unionid`, otherwise the `openid`. */
  id: string
}

/** Options of the factory. */
export type WeChatOptions<P> = OAuthUserConfig<P> & {
  /**
   * "OfficialAccount" works in WeChat's browser; "WebsiteApp" shows a QR code in other browsers.
   * @default "OfficialAccount"
   */
  platformType?: "OfficialAccount" | "WebsiteApp" | undefined
}

const TOKEN_URL = "https://api.weixin.qq.com/sns/oauth2/access_token"
const USER_URL = "https://api.weixin.qq.com/sns/userinfo?lang=zh_CN"

const PLATFORMS = {
  OfficialAccount: { path: "oauth2/authorize", scope: "snsapi_userinfo" },
  WebsiteApp: { path: "qrconnect", scope: "snsapi_login" },
} as const

/** WeChat's error response, always with status 200. */
interface ErrorResponse {
  readonly errcode?: number
  readonly errmsg?: string
}

const INVALID_REFRESH_TOKEN = 40030

const conform = repairTokenResponse((body) => {
  const { errcode, errmsg } = body
  if (errcode === INVALID_REFRESH_TOKEN) return refusal("invalid_grant", errmsg)
  return errcode ? refusal(errcode, errmsg) : withBearerType(body)
})

/**
 * Sends all parameters, including the secret, in the query string, because WeChat reads nothing else.
 * @see https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsaccesstoken.html
 */
async function requestTokens({ params, provider, fetch }: TokenRequestContext): Promise<Response> {
  const { clientId: appid, clientSecret: secret, token } = provider
  const query = { appid, secret, code: params.code, grant_type: "authorization_code" }
  const response = await fetch(requestUrl(token.url, query), { headers: { accept: "application/json" } })
  return (await conform(response.clone())) ?? response
}

/** @see https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsrefreshtoken.html */
const refreshTokens = ({ refreshToken, provider, fetch }: RefreshContext): Promise<Response> => {
  const query = { appid: provider.clientId, grant_type: "refresh_token", refresh_token: refreshToken }
  return fetch(requestUrl(new URL("refresh_token", provider.token.url), query), {
    headers: { accept: "application/json" },
  })
}

const tokenInQuery = ({ tokens }: VendorContext) => ({
  headers: { authorization: "" },
  query: { access_token: String(tokens.access_token), openid: String(tokens["openid"]) },
})

function toProfile({ errcode, errmsg, ...user }: WeChatProfile & ErrorResponse): WeChatProfile {
  if (errcode) throw new Error(`WeChat: /sns/userinfo answered ${errcode} ${errmsg}`)
  return { ...user, id: user.unionid || user.openid }
}

/**
 * Sign-in with WeChat.
 * Environment: `AUTH_WECHAT_ID` (the AppID), `AUTH_WECHAT_SECRET` (the AppSecret).
 * Console: https://mp.weixin.qq.com/ for an official account, https://open.weixin.qq.com/ for a website app
 * - WeChat registers only the domain of the redirect URI.
 * - `platformType: "OfficialAccount"` works only in WeChat's browser. `platformType: "WebsiteApp"` works in other
 *   browsers.
 * - The user has no email address.
 * - The account id is the `unionid` if the official account is bound to an Open Platform account, and the `openid`
 *   otherwise. If you bind the official account after the first sign-in, users get new accounts.
 * - In snapshot mode WeChat returns a virtual user, and `account.is_snapshotuser` is 1. To reject virtual users, check
 *   this value in `callbacks.signIn`.
 * @example
 * import WeChat from "latchkey/providers/wechat"
 * app.use(authMiddleware({ providers: [WeChat({ platformType: "WebsiteApp" })] }))
 */
export default function WeChat<P extends WeChatProfile = WeChatProfile>(
  options: WeChatOptions<P> = {},
): OAuth2Config<P> {
  const { path, scope } = PLATFORMS[options.platformType ?? "OfficialAccount"]
  return oauthProvider<P>("wechat", "WeChat", {
    checks: ["state"],
    authorization: {
      // WeChat requires the fragment.
      url: `https://open.weixin.qq.com/connect/${path}#wechat_redirect`,
      params: { appid: options.clientId || ownVariable("wechat", "ID", options), scope },
    },
    token: { url: TOKEN_URL, conform, request: requestTokens, refresh: refreshTokens },
    userinfo: userinfoFrom("WeChat", USER_URL, toProfile, tokenInQuery),
    user: ({ id, nickname, headimgurl }) => ({ id, name: nickname, image: headimgurl }),
    brandColor: "#fff",
  })(options)
}
