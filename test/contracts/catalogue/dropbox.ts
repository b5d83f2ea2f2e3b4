import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.dropbox.com/developers/documentation/http/documentation */
export default {
  start: {
    url: "https://www.dropbox.com/oauth2/authorize",
    params: { token_access_type: "offline", scope: "account_info.read" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.dropboxapi.com/oauth2/token",
    answer: {
      access_token: "sl.u.AbX9y6Fe3AuH5o66-gmJpR032jwAwQPIVVzWXZNkdzcYT02akC2de219dZi6gxYPVnYPrpvISRSf9lxKWJzYLjtMPH",
      expires_in: 14400,
      refresh_token: "nBiM85CZALsAAAAAAAAAAQXHBoNpNutK4ngsXHsqW4iGz9tisb3JyjGqikMJIYbd",
      scope: "account_info.read",
      token_type: "bearer",
      account_id: "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc",
      uid: "12345",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "code doesn't exist or has expired" },
    },
  },
  api: {
    "POST https://api.dropboxapi.com/2/users/get_current_account": {
      sentBody: "",
      body: {
        account_id: "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc",
        account_type: { ".tag": "business" },
        country: "US",
        disabled: false,
        email: "franz@dropbox.com",
        email_verified: true,
        is_paired: true,
        locale: "en",
        name: {
          abbreviated_name: "FF",
          display_name: "Franz Ferdinand (Personal)",
          familiar_name: "Franz",
          given_name: "Franz",
          surname: "Ferdinand",
        },
        profile_photo_url:
          "https://dl-web.dropbox.com/account_photo/get/dbaphid%3AAAHWGmIXV3sUuOmBfTz0wPsiqHUpBWvv3ZA?vers=1556069330102&size=128x128",
        referral_link: "https://db.tt/ZITNuhtI",
        root_info: { ".tag": "user", home_namespace_id: "3235641", root_namespace_id: "3235641" },
        team: {
          id: "dbtid:AAFdgehTzw7WlXhZJsbGCLePe8RvQGYDr-I",
          name: "Acme, Inc.",
          office_addin_policy: { ".tag": "disabled" },
          sharing_policies: {
            shared_folder_join_policy: { ".tag": "from_anyone" },
            shared_folder_member_policy: { ".tag": "team" },
            shared_link_create_policy: { ".tag": "team_only" },
          },
        },
        team_member_id: "dbmid:AAHhy7WsR0x-u4ZCqiDl5Fz5zvuL3kmspwU",
      },
    },
  },
  id: "account_id",
  emailVerified: true,
  user: {
    id: "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc",
    name: "Franz Ferdinand (Personal)",
    email: "franz@dropbox.com",
    image:
      "https://dl-web.dropbox.com/account_photo/get/dbaphid%3AAAHWGmIXV3sUuOmBfTz0wPsiqHUpBWvv3ZA?vers=1556069330102&size=128x128",
  },
} satisfies ProviderCase
