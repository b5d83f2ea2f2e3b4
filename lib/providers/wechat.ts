import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "./provider.js"
import {
  addressOf,
  asBearer,
  conformBy,
  firstText,
  ownVariableOf,
  refusal,
  requireId,
  userinfoFrom,
  type VendorContext,
} from "./vendor.js"

/**
 * The signed-in user of WeChat.
 * @see https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsuserinfo.html
 */
export interface WeChatProfile {
  /** Tells a person apart within one application. */
  openid: string
  nickname: string
  /** 1 is male, 2 is female, 0 is not said. */
  sex: number
  province: string
  city: string
  country: string
  /** Empty when there is none. */
  headimgurl: string
  privilege: string[]
  /** Tells a person apart within all applications of one account of the Open Platform; absent without such an account. */
  unionid?: string
  /** Ours: the `unionid`, else the `openid`. */
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: WeChat adds members as it grows, as in the contract
  [member: string]: any
}

/** What the factory takes. */
export type WeChatOptions<P> = OAuthUserConfig<P> & {
  /**
   * "OfficialAccount" signs in within WeChat's own browser, "WebsiteApp" by a code to scan in any other.
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

/** What WeChat answers, always with status 200, when it refuses. */
interface Refusal {
  readonly errcode?: number
  readonly errmsg?: string
}

const conform = conformBy((answer) => {
  const { errcode, errmsg } = answer
  return errcode ? refusal(errcode, errmsg) : asBearer(answer)
})

/**
 * WeChat reads the address alone: the secret stands there too.
 * @see https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsaccesstoken.html
 */
async function requestTokens({ params, provider, fetch }: TokenRequestContext): Promise<Response> {
  const { clientId: appid, clientSecret: secret, token } = provider
  const query = { appid, secret, code: params.code, grant_type: "authorization_code" }
  const response = await fetch(addressOf(token.url, query), { headers: { accept: "application/json" } })
  return (await conform(response.clone())) ?? response
}

const inAddress = ({ tokens }: VendorContext) => ({
  headers: { authorization: "" },
  query: { access_token: String(tokens.access_token), openid: String(tokens["openid"]) },
})

function toProfile({ errcode, errmsg, ...user }: WeChatProfile & Refusal): WeChatProfile {
  if (errcode) throw new Error(`WeChat: /sns/userinfo answered ${errcode} ${errmsg}`)
  return { ...user, id: user.unionid || user.openid }
}

/**
 * Sign-in with WeChat.
 *
 * Environment: `AUTH_WECHAT_ID` (the AppID), `AUTH_WECHAT_SECRET` (the AppSecret).
 * Redirect URI: `https://example.com/auth/callback/wechat`; WeChat wants its domain alone.
 * Console: https://mp.weixin.qq.com/ for an official account, https://open.weixin.qq.com/ for a website app
 *
 * - `platformType: "OfficialAccount"` works within WeChat's own browser alone, "WebsiteApp" in the others.
 * - WeChat gives no e-mail address.
 * - The account is the `unionid`, which an official account gets once it is bound to an account of the Open Platform,
 *   and the `openid` until then. Bind it before the first sign-in, or people come as other accounts afterwards.
 * - In its snapshot mode WeChat sends a made-up person: `account.is_snapshotuser` is 1 then. Refuse it in
 *   `callbacks.signIn` if that matters.
 *
 * @example
 * import WeChat from "latchkey/providers/wechat"
 * app.use(authMiddleware({ providers: [WeChat({ platformType: "WebsiteApp" })] }))
 */
export default function WeChat<P extends WeChatProfile = WeChatProfile>(
  options: WeChatOptions<P> = {},
): OAuth2Config<P> {
  const { path, scope } = PLATFORMS[options.platformType ?? "OfficialAccount"]
  return {
    id: "wechat",
    name: "WeChat",
    type: "oauth",
    checks: ["state"],
    authorization: {
      // WeChat asks for the fragment.
      url: `https://open.weixin.qq.com/connect/${path}#wechat_redirect`,
      params: { appid: options.clientId || ownVariableOf("wechat", "ID", options), scope },
    },
    token: { url: TOKEN_URL, request: requestTokens },
    userinfo: userinfoFrom("WeChat", USER_URL, toProfile, inAddress),
    profile({ id, nickname, headimgurl }) {
      return { id: requireId("WeChat", id), name: firstText(nickname), email: null, image: firstText(headimgurl) }
    },
    style: { brandColor: "#fff" },
    options,
  }
}
