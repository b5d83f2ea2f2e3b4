import type { ProviderCase } from "../support/catalogue.js"

/** @see https://core.telegram.org/bots/telegram-login */
export default {
  start: { url: "https://oauth.telegram.org/auth", params: { scope: "openid profile" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://oauth.telegram.org/.well-known/openid-configuration",
    document: {
      issuer: "https://oauth.telegram.org",
      authorization_endpoint: "https://oauth.telegram.org/auth",
      token_endpoint: "https://oauth.telegram.org/token",
      jwks_uri: "https://oauth.telegram.org/.well-known/jwks.json",
    },
  },
  claims: {
    sub: "1234567890123456789",
    id: 987654321,
    name: "John Doe",
    preferred_username: "johndoe",
    picture: "https://cdn4.telesco.pe/file/johndoe.jpg",
  },
  token: {
    url: "https://oauth.telegram.org/token",
    answer: { access_token: "at", token_type: "Bearer", expires_in: 3600 },
  },
  id: "sub",
  user: {
    id: "1234567890123456789",
    name: "John Doe",
    email: null,
    image: "https://cdn4.telesco.pe/file/johndoe.jpg",
  },
} satisfies ProviderCase
