import type { ProviderCase } from "../support/catalogue.js"
import { apple } from "../support/samples.js"

const { iss: _, aud: __, exp: ___, iat: ____, nonce: _____, ...claims } = apple

/** @see https://developer.apple.com/documentation/signinwithapplerestapi/generate-and-validate-tokens */
export default {
  start: {
    url: "https://appleid.apple.com/auth/authorize",
    params: { scope: "name email", response_mode: "form_post" },
  },
  checks: ["nonce", "state"],
  discovery: {
    url: "https://appleid.apple.com/.well-known/openid-configuration",
    document: {
      issuer: "https://appleid.apple.com",
      authorization_endpoint: "https://appleid.apple.com/auth/authorize",
      token_endpoint: "https://appleid.apple.com/auth/token",
      jwks_uri: "https://appleid.apple.com/auth/keys",
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims,
  token: {
    url: "https://appleid.apple.com/auth/token",
    auth: "post",
    answer: {
      access_token: "adg61.example.670r9",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "rca7.example.IABoQ",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "The code has expired or has been revoked." },
    },
  },
  id: "sub",
  user: { id: apple.sub, name: apple.email, email: apple.email, image: null },
} satisfies ProviderCase
