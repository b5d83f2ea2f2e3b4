import type { ProviderCase } from "../support/catalogue.js"

const PICTURE = "https://tr.rbxcdn.com/03dc2a9abe7b1aacaaf93ea46d5c0646/150/150/AvatarHeadshot/Png"

/** @see https://create.roblox.com/docs/cloud/auth/oauth2-reference */
export default {
  start: { url: "https://apis.roblox.com/oauth/v1/authorize", params: { scope: "openid profile" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://apis.roblox.com/oauth/.well-known/openid-configuration",
    document: {
      issuer: "https://apis.roblox.com/oauth/",
      authorization_endpoint: "https://apis.roblox.com/oauth/v1/authorize",
      token_endpoint: "https://apis.roblox.com/oauth/v1/token",
      userinfo_endpoint: "https://apis.roblox.com/oauth/v1/userinfo",
      jwks_uri: "https://apis.roblox.com/oauth/v1/certs",
      response_types_supported: ["none", "code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    },
  },
  claims: {
    sub: "1516563360",
    name: "exampleuser",
    nickname: "exampleuser",
    preferred_username: "exampleuser",
    created_at: 1_584_682_495,
    profile: "https://www.roblox.com/users/1516563360/profile",
    picture: PICTURE,
  },
  idTokenAlg: "ES256",
  token: {
    url: "https://apis.roblox.com/oauth/v1/token",
    answer: {
      access_token: "eyJhbGciOi.roblox.example",
      refresh_token: "eyJhbGciOi.roblox.refresh",
      token_type: "Bearer",
      expires_in: 899,
      scope: "openid profile",
    },
  },
  id: "sub",
  user: { id: "1516563360", name: "exampleuser", email: null, image: PICTURE },
  differs: { checks: "the provider documents the nonce" },
} satisfies ProviderCase
