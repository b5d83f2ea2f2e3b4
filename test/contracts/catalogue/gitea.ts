import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.gitea.com/development/oauth2-provider */
export default {
  options: { issuer: "https://git.example.com" },
  start: {
    url: "https://git.example.com/login/oauth/authorize",
    params: { scope: "openid profile email read:user" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://git.example.com/.well-known/openid-configuration",
    document: {
      issuer: "https://git.example.com/",
      authorization_endpoint: "https://git.example.com/login/oauth/authorize",
      token_endpoint: "https://git.example.com/login/oauth/access_token",
      jwks_uri: "https://git.example.com/login/oauth/keys",
      userinfo_endpoint: "https://git.example.com/login/oauth/userinfo",
      introspection_endpoint: "https://git.example.com/login/oauth/introspect",
      response_types_supported: ["code", "id_token"],
      id_token_signing_alg_values_supported: ["RS256"],
      subject_types_supported: ["public"],
      scopes_supported: ["openid", "profile", "email", "groups"],
      code_challenge_methods_supported: ["plain", "S256"],
      grant_types_supported: ["authorization_code", "refresh_token"],
    },
  },
  claims: {
    sub: "1",
    name: "Jane Doe",
    preferred_username: "jane",
    profile: "https://git.example.com/jane",
    picture: "https://git.example.com/avatars/5a1b2c",
    website: "",
    locale: "en-US",
    updated_at: 1735815600,
    email: "jane@example.com",
    email_verified: true,
  },
  token: {
    url: "https://git.example.com/login/oauth/access_token",
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.at",
      token_type: "bearer",
      expires_in: 3600,
      refresh_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.rt",
    },
    refusal: {
      status: 400,
      body: { error: "unauthorized_client", error_description: "client is not authorized" },
    },
  },
  id: "sub",
  user: {
    id: "1",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://git.example.com/avatars/5a1b2c",
  },
  variants: [
    { options: { issuer: undefined, baseUrl: new URL("https://git.example.com") }, start: {} },
    // The issuer has priority over baseUrl.
    { options: { baseUrl: "https://elsewhere.example.com" }, start: {} },
  ],
} satisfies ProviderCase
