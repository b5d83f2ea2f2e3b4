import type { ProviderCase } from "../support/catalogue.js"

const AVATAR = "https://secure.gravatar.com/avatar/bc.png"
const TEAM = "https://avatars.slack-edge.com/2020-07-20/T0RR"

/** @see https://docs.slack.dev/authentication/sign-in-with-slack */
export default {
  start: { url: "https://slack.com/openid/connect/authorize", params: { scope: "openid profile email" } },
  checks: ["nonce", "state"],
  discovery: {
    url: "https://slack.com/.well-known/openid-configuration",
    document: {
      issuer: "https://slack.com",
      authorization_endpoint: "https://slack.com/openid/connect/authorize",
      token_endpoint: "https://slack.com/api/openid.connect.token",
      userinfo_endpoint: "https://slack.com/api/openid.connect.userInfo",
      jwks_uri: "https://slack.com/openid/connect/keys",
      scopes_supported: ["openid", "profile", "email"],
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: {
    sub: "U0R7MFMJM",
    auth_time: 1_626_874_655,
    "https://slack.com/team_id": "T0RR",
    "https://slack.com/user_id": "U0R7MFMJM",
    email: "bront@slack-corp.com",
    email_verified: true,
    date_email_verified: 1_622_128_723,
    locale: "en-US",
    name: "brent",
    picture: AVATAR,
    given_name: "",
    family_name: "",
    "https://slack.com/team_name": "kraneflannel",
    "https://slack.com/team_domain": "kraneflannel",
    "https://slack.com/user_image_24": AVATAR,
    "https://slack.com/user_image_512": AVATAR,
    "https://slack.com/team_image_34": `${TEAM}_34.png`,
    "https://slack.com/team_image_230": `${TEAM}_230.png`,
    "https://slack.com/team_image_default": true,
  },
  token: {
    url: "https://slack.com/api/openid.connect.token",
    answer: { ok: true, access_token: "xoxp-1234", token_type: "Bearer" },
    refusal: { status: 200, body: { ok: false, error: "invalid_code" } },
  },
  id: "sub",
  user: { id: "U0R7MFMJM", name: "brent", email: "bront@slack-corp.com", image: AVATAR },
  differs: { checks: "the provider documents the state" },
} satisfies ProviderCase
