import type { OAuth2Config, OAuthUserConfig, ProviderContext, TokenRequestContext } from "./provider.js"
import { firstText, requireId } from "./vendor.js"

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

type WeChatOptions<P> = OAuthUserConfig<P> & {
  /**
   * "OfficialAccount" signs in within WeChat's own browser, "WebsiteApp" by a code to scan in any other.
   * @default "OfficialAccount"
   */
  platformType?: "OfficialAccount" | "WebsiteApp" | undefined
}

/** What WeChat answers, always with status 200, when it refuses. */
interface Refusal {
  readonly errcode?: number
  readonly errmsg?: string
}

const TOKEN_URL = "https://api.weixin.qq.com/sns/oauth2/access_token"
const USER_URL = "https://api.weixin.qq.com/sns/userinfo"

const PLATFORMS = {
  OfficialAccount: { path: "oauth2/authorize", scope: "snsapi_userinfo" },
  WebsiteApp: { path: "qrconnect", scope: "snsapi_login" },
} as const

type Fetch = typeof globalThis.fetch

/** WeChat knows no headers: everything stands in the address. */
async function ask<P>(url: string | URL, query: Record<string, string>, fetch: Fetch): Promise<P & Refusal> {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  const response = await fetch(address, { headers: { accept: "application/json" } })
  if (!response.ok) throw new Error(`WeChat: ${address.pathname} answered ${response.status}`)
  // As documented, or a refusal.
  return (await response.json()) as P & Refusal
}

/** @see https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsaccesstoken.html */
async function requestTokens({ params, provider, fetch }: TokenRequestContext) {
  const { clientId: appid, clientSecret: secret, token } = provider
  const query = { appid, secret, code: params.code, grant_type: "authorization_code" }
  const { errcode, errmsg, ...answer } = await ask<object>(token.url, query, fetch)
  return {
    tokens: errcode ? { error: String(errcode), error_description: errmsg } : { token_type: "bearer", ...answer },
  }
}

async function fetchUser(context: ProviderContext): Promise<WeChatProfile> {
  const { tokens, provider, fetch = globalThis.fetch } = context
  const query = { access_token: String(tokens.access_token), openid: String(tokens["openid"]) }
  const user = await ask<WeChatProfile>(provider.userinfo?.url ?? USER_URL, query, fetch)
  if (user.errcode) throw new Error(`WeChat: /sns/userinfo answered ${user.errcode} ${user.errmsg}`)
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
      params: { appid: options.clientId ?? process.env["AUTH_WECHAT_ID"], scope },
    },
    token: { url: TOKEN_URL, request: requestTokens },
    userinfo: { url: USER_URL, params: { lang: "zh_CN" }, request: fetchUser },
    profile({ id, nickname, headimgurl }) {
      return { id: requireId("WeChat", id), name: firstText(nickname), email: null, image: firstText(headimgurl) }
    },
    style: { brandColor: "#fff" },
    options,
  }
}
