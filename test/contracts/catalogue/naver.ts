import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.naver.com/docs/login/api/api.md */
export default {
  start: { url: "https://nid.naver.com/oauth2.0/authorize", params: { scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://nid.naver.com/oauth2.0/token",
    answer: {
      access_token: "AAAAQosjWDJieBiQZc3to9YQp6HDLvrmyKC-6+iZ3gq7qrkqf50ljZC-Lgoqrg",
      refresh_token: "c8ceMEJisO4Se7uGisHoX0f5JEii7JnipglQipkOn5Zp3tyP7dHQoP0zNKHUq2gY",
      token_type: "bearer",
      // A string, as documented.
      expires_in: "3600",
    },
    refusal: {
      status: 200,
      body: { error: "invalid_request", error_description: "no valid data in session" },
    },
  },
  api: {
    "GET https://openapi.naver.com/v1/nid/me": {
      body: {
        resultcode: "00",
        message: "success",
        response: {
          email: "openapi@naver.com",
          nickname: "OpenAPI",
          profile_image: "https://ssl.pstatic.net/static/pwe/address/nodata_33x33.gif",
          age: "40-49",
          gender: "F",
          id: "32742776",
          name: "오픈 API",
          birthday: "10-01",
          birthyear: "1900",
          mobile: "010-0000-0000",
        },
      },
    },
  },
  id: "response.id",
  user: {
    id: "32742776",
    name: "OpenAPI",
    email: "openapi@naver.com",
    image: "https://ssl.pstatic.net/static/pwe/address/nodata_33x33.gif",
  },
  also: [{ profile: { response: { id: "1", name: "오픈 API" } }, user: { name: "오픈 API" } }],
  differs: { params: "requests no scope, because the provider has none" },
} satisfies ProviderCase
