import type { ProviderCase } from "../support/catalogue.js"

const PICTURE = "https://static-cdn.jtvnw.net/jtv_user_pictures/dallas-profile_image-1a2c906ee2c35f12-300x300.png"

/** @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/#oidc-authorization-code-grant-flow */
export default {
  start: {
    url: "https://id.twitch.tv/oauth2/authorize",
    params: {
      scope: "openid user:read:email",
      claims: '{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}',
    },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://id.twitch.tv/oauth2/.well-known/openid-configuration",
    document: {
      authorization_endpoint: "https://id.twitch.tv/oauth2/authorize",
      claims_parameter_supported: true,
      id_token_signing_alg_values_supported: ["RS256"],
      issuer: "https://id.twitch.tv/oauth2",
      jwks_uri: "https://id.twitch.tv/oauth2/keys",
      response_types_supported: ["id_token", "code", "token", "code id_token", "token id_token"],
      scopes_supported: ["openid"],
      subject_types_supported: ["public"],
      token_endpoint: "https://id.twitch.tv/oauth2/token",
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      userinfo_endpoint: "https://id.twitch.tv/oauth2/userinfo",
    },
  },
  claims: {
    sub: "713936733",
    azp: "the-client",
    email: "dallas@example.com",
    email_verified: true,
    picture: PICTURE,
    preferred_username: "Dallas",
  },
  token: {
    url: "https://id.twitch.tv/oauth2/token",
    auth: "post",
    answer: {
      access_token: "rfx2uswqe8l4g1mkagrvg5tv0ks3",
      expires_in: 14124,
      refresh_token: "5b93chm6hdve3mycz05zfzatkfdenfspp1h1ar2xxdalen01",
      // A list, unlike the string of RFC 6749.
      scope: ["openid", "user:read:email"],
      token_type: "bearer",
    },
    refusal: { status: 400, body: { status: 400, message: "Invalid authorization code" } },
  },
  id: "sub",
  user: { id: "713936733", name: "Dallas", email: "dallas@example.com", image: PICTURE },
  differs: { params: "also requests the claim `email_verified`" },
} satisfies ProviderCase
