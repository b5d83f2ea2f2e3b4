import type { ProviderCase } from "../support/catalogue.js"

/** @see https://api.mail.ru/docs/guides/oauth/ */
export default {
  start: { url: "https://oauth.mail.ru/login", params: { scope: "userinfo" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://oauth.mail.ru/token",
    answer: {
      access_token: "an-access-token-of-mailru",
      refresh_token: "a-refresh-token-of-mailru",
      expires_in: 3600,
    },
    refusal: {
      status: 200,
      body: { error: "invalid_grant", error_code: 4, error_description: "invalid code" },
    },
  },
  api: {
    "GET https://oauth.mail.ru/userinfo?access_token=an-access-token-of-mailru": {
      sent: { authorization: "" },
      body: {
        id: "1234567890",
        client_id: "the-client",
        gender: "f",
        name: "Нелли Пример",
        nickname: "nelly",
        locale: "ru_RU",
        first_name: "Нелли",
        last_name: "Пример",
        email: "nelly@example.com",
        birthday: "01.02.1990",
        image: "https://filin.mail.ru/pic?email=nelly@example.com",
      },
    },
  },
  id: "id",
  user: {
    id: "1234567890",
    name: "Нелли Пример",
    email: "nelly@example.com",
    image: "https://filin.mail.ru/pic?email=nelly@example.com",
  },
  also: [
    {
      profile: { id: "1", first_name: "Нелли", last_name: "Пример", nickname: "nelly" },
      user: { name: "Нелли Пример" },
    },
    { profile: { id: "1", nickname: "nelly" }, user: { name: "nelly" } },
  ],
  differs: { user: "reads the picture from Mail.ru's own member `image`" },
} satisfies ProviderCase
