import type { ProviderCase } from "../support/catalogue.js"

const AVATAR =
  "https://thirdwx.qlogo.cn/mmopen/g3MonUZtNHkdmzicIlibx6iaFqAc56vxLSUfpb6n5WKSYVY0ChQKkiaJSgQ1dZuTOgvLLrhJbERQQ4eMsv84eavHiaiceqxibJxCfHe/46"

/** @see https://developers.weixin.qq.com/doc/service/guide/h5/auth.html */
export default {
  start: {
    url: "https://open.weixin.qq.com/connect/oauth2/authorize#wechat_redirect",
    params: { appid: "the-client", scope: "snsapi_userinfo" },
  },
  checks: ["state"],
  token: {
    url: "https://api.weixin.qq.com/sns/oauth2/access_token?appid=the-client&secret=the-client-secret-of-forty-letters-at-least&code=the-code&grant_type=authorization_code",
    method: "GET",
    auth: "own",
    answer: {
      access_token: "OezXcEiiBSKSxW0eoylIeOZ0dfxvb93UyrFdwznvwUv3JkVN",
      expires_in: 7200,
      refresh_token: "OezXcEiiBSKSxW0eoylIeOZ0dfxvb93UyrFdwznvwUv3JkVO",
      openid: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M",
      scope: "snsapi_userinfo",
      unionid: "o6_bmasdasdsad6_2sgVt7hMZOPfL",
    },
    refusal: { status: 200, body: { errcode: 40029, errmsg: "invalid code" } },
  },
  api: {
    "GET https://api.weixin.qq.com/sns/userinfo?lang=zh_CN&access_token=OezXcEiiBSKSxW0eoylIeOZ0dfxvb93UyrFdwznvwUv3JkVN&openid=o6_bmjrPTlm6_2sgVt7hMZOPfL2M":
      {
        sent: { authorization: "" },
        body: {
          openid: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M",
          nickname: "Band",
          sex: 1,
          province: "广东",
          city: "广州",
          country: "中国",
          headimgurl: AVATAR,
          privilege: ["PRIVILEGE1", "PRIVILEGE2"],
          unionid: "o6_bmasdasdsad6_2sgVt7hMZOPfL",
        },
      },
  },
  id: "id",
  user: { id: "o6_bmasdasdsad6_2sgVt7hMZOPfL", name: "Band", email: null, image: AVATAR },
  variants: [
    {
      options: { platformType: "WebsiteApp" },
      start: { url: "https://open.weixin.qq.com/connect/qrconnect#wechat_redirect", params: { scope: "snsapi_login" } },
    },
    { options: { platformType: "OfficialAccount" }, start: {} },
  ],
  differs: { authorizationUrl: "has the fragment that WeChat requires" },
} satisfies ProviderCase
