import type { ProviderCase } from "../support/catalogue.js"

/** @see https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/ */
export default {
  options: { issuer: "https://auth.example.com" },
  start: {
    url: "https://auth.example.com/api/oidc/authorization",
    params: { scope: "openid profile email" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://auth.example.com/.well-known/openid-configuration",
    document: {
      issuer: "https://auth.example.com",
      authorization_endpoint: "https://auth.example.com/api/oidc/authorization",
      token_endpoint: "https://auth.example.com/api/oidc/token",
      userinfo_endpoint: "https://auth.example.com/api/oidc/userinfo",
      jwks_uri: "https://auth.example.com/jwks.json",
      id_token_signing_alg_values_supported: ["RS256", "none"],
      authorization_response_iss_parameter_supported: true,
    },
  },
  claims: {
    sub: "f0919359-9d15-4e15-bcba-83b41620a073",
    jti: "9b1c4a0e-6a0c-4a94-9a5a-2a6b1a2c5a10",
    azp: "the-client",
    aud: ["the-client"],
    auth_time: 1735815600,
    amr: ["pwd", "otp", "mfa"],
  },
  token: {
    url: "https://auth.example.com/api/oidc/token",
    answer: {
      access_token: "authelia_at_vbGhFZz0GPUFFKPFzYqoXz6ZrWYfzdXJGVdN8Vq2dKk",
      token_type: "bearer",
      expires_in: 3599,
      scope: "openid profile email",
    },
  },
  api: {
    "GET https://auth.example.com/api/oidc/userinfo": {
      body: {
        sub: "f0919359-9d15-4e15-bcba-83b41620a073",
        rat: 1735815590,
        name: "John Doe",
        preferred_username: "john",
        email: "john.doe@example.com",
        email_verified: true,
        alt_emails: ["john@example.org"],
        picture: "https://example.com/john.png",
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: {
    id: "f0919359-9d15-4e15-bcba-83b41620a073",
    name: "John Doe",
    email: "john.doe@example.com",
    image: "https://example.com/john.png",
  },
} satisfies ProviderCase
