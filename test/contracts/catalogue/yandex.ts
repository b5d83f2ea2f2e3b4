import type { ProviderCase } from "../support/catalogue.js"

/** @see https://yandex.com/dev/id/doc/en/codes/code-url */
export default {
  start: {
    url: "https://oauth.yandex.ru/authorize",
    params: { scope: "login:info login:email login:avatar" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://oauth.yandex.ru/token",
    answer: {
      token_type: "bearer",
      access_token: "AQAAAACy1C6ZAAAAfa6vDLuItEy8pg-iIpnDxIs",
      expires_in: 31536000,
      refresh_token: "1:GN686QVt0mmakDd9:A4pYuW9LGk0_UnlrMIWklkAuJkUWbq27loFekJVmSYrdfzdePBy7:A-2dHOmBxiXgajnD-kYOwQ",
      scope: "login:info login:email login:avatar",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Code has expired" } },
  },
  api: {
    "GET https://login.yandex.ru/info?format=json": {
      sent: { authorization: "OAuth AQAAAACy1C6ZAAAAfa6vDLuItEy8pg-iIpnDxIs" },
      body: {
        login: "ivan",
        old_social_login: "uid-mmzxrnry",
        default_email: "test@yandex.ru",
        id: "1000034426",
        client_id: "4760187d81bc4b7799476b42b5103713",
        emails: ["test@yandex.ru", "other-test@yandex.ru"],
        default_avatar_id: "131652443",
        is_avatar_empty: false,
        first_name: "Ivan",
        last_name: "Ivanov",
        display_name: "ivan",
        real_name: "Ivan Ivanov",
        sex: "male",
        psuid: "1.AAceCw.tbHgw5DtJ9_zeqPrk-Ba2w.qPWSRC5v2t2IaksPJgnge",
      },
    },
  },
  id: "id",
  user: {
    id: "1000034426",
    name: "ivan",
    email: "test@yandex.ru",
    image: "https://avatars.yandex.net/get-yapic/131652443/islands-200",
  },
  also: [
    { profile: { id: "1", real_name: "Ivan Ivanov", first_name: "Ivan" }, user: { name: "Ivan Ivanov" } },
    {
      profile: {
        id: "1",
        first_name: "Ivan",
        emails: ["test@yandex.ru"],
        default_avatar_id: "0/0-0",
        is_avatar_empty: true,
      },
      user: { name: "Ivan", email: "test@yandex.ru", image: null },
    },
  ],
} satisfies ProviderCase
