import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api */
export default {
  start: { url: "https://kauth.kakao.com/oauth/authorize" },
  checks: ["pkce", "state"],
  token: {
    url: "https://kauth.kakao.com/oauth/token",
    auth: "post",
    answer: {
      token_type: "bearer",
      access_token: "an-access-token-of-kakao",
      expires_in: 43199,
      refresh_token: "a-refresh-token-of-kakao",
      refresh_token_expires_in: 5184000,
      scope: "account_email profile_image profile_nickname",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "Redirect URI mismatch.", error_code: "KOE303" },
    },
  },
  api: {
    "GET https://kapi.kakao.com/v2/user/me?secure_resource=true": {
      body: {
        id: 123456789,
        connected_at: "2022-04-11T01:45:28Z",
        kakao_account: {
          profile_nickname_needs_agreement: false,
          profile_image_needs_agreement: false,
          profile: {
            nickname: "홍길동",
            thumbnail_image_url: "https://yyy.kakao.com/.../img_110x110.jpg",
            profile_image_url: "https://yyy.kakao.com/dn/.../img_640x640.jpg",
            is_default_image: false,
            is_default_nickname: false,
          },
          name_needs_agreement: false,
          name: "홍길동",
          email_needs_agreement: false,
          is_email_valid: true,
          is_email_verified: true,
          email: "sample@sample.com",
          age_range_needs_agreement: false,
          age_range: "20~29",
          birthyear_needs_agreement: false,
          birthyear: "2002",
          birthday_needs_agreement: false,
          birthday: "1130",
          birthday_type: "SOLAR",
          is_leap_month: false,
          gender_needs_agreement: false,
          gender: "female",
          phone_number_needs_agreement: false,
          phone_number: "+82 010-1234-5678",
          ci_needs_agreement: false,
          ci: "a-connecting-information",
          ci_authenticated_at: "2019-03-11T11:25:22Z",
        },
        properties: { nickname: "홍길동" },
        for_partner: { uuid: "a-uuid" },
      },
    },
  },
  id: "id",
  emailVerified: true,
  user: {
    id: "123456789",
    name: "홍길동",
    email: "sample@sample.com",
    image: "https://yyy.kakao.com/dn/.../img_640x640.jpg",
  },
} satisfies ProviderCase
