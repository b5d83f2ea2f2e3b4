import type { ProviderCase } from "../support/catalogue.js"

const ACCESS_TOKEN = "vk2.a.XXXXX"

/** @see https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/start-integration/auth-without-sdk/auth-without-sdk-web */
export default {
  start: { url: "https://id.vk.com/authorize", params: { scope: "vkid.personal_info email" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://id.vk.com/oauth2/auth",
    auth: "none",
    form: { state: expect.stringMatching(/^[\w-]{32,}$/) },
    answer: {
      refresh_token: "vk2.a.refresh-token",
      access_token: ACCESS_TOKEN,
      id_token: "an.id.token",
      token_type: "Bearer",
      expires_in: 3600,
      user_id: 1234567890,
      state: "the-state",
      scope: "vkid.personal_info email",
    },
    refusal: { status: 200, body: { error: "invalid_grant", error_description: "Code is invalid or expired" } },
  },
  api: {
    "POST https://id.vk.com/oauth2/user_info": {
      sent: { authorization: "", "content-type": "application/x-www-form-urlencoded" },
      sentBody: `client_id=the-client&access_token=${ACCESS_TOKEN}`,
      body: {
        user: {
          user_id: "1234567890",
          first_name: "Ivan",
          last_name: "Ivanov",
          phone: "79991234567",
          avatar: "https://pp.userapi.com/60tZWMo4SmwcploUVl9XEt8ufnTTvDUmQ6Bj1g/mmv1pcj63C4.png",
          email: "ivan_i123@vk.com",
          sex: 2,
          verified: false,
          birthday: "01.01.2000",
        },
      },
    },
  },
  id: "user_id",
  user: {
    id: "1234567890",
    name: "Ivan Ivanov",
    email: "ivan_i123@vk.com",
    image: "https://pp.userapi.com/60tZWMo4SmwcploUVl9XEt8ufnTTvDUmQ6Bj1g/mmv1pcj63C4.png",
  },
  also: [{ profile: { user_id: "1", last_name: "Ivanov" }, user: { name: "Ivanov" } }],
  differs: {
    authorizationUrl: "VK ID replaces the older OAuth",
    params: "uses VK ID, which replaces the older OAuth",
    token: "VK ID replaces the older OAuth",
    userinfo: "uses VK ID, which replaces the older OAuth",
    client: "VK ID uses PKCE without a client secret",
    user: "reads the member names of VK ID; the ids are the same",
  },
} satisfies ProviderCase
