import type { ProviderCase } from "../support/catalogue.js"

/** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth */
export default {
  options: { issuer: "https://id.example.com" },
  start: { url: "https://id.example.com/authorize", params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://id.example.com/.well-known/openid-configuration",
    document: {
      issuer: "https://id.example.com",
      authorization_endpoint: "https://id.example.com/authorize",
      token_endpoint: "https://id.example.com/token",
      userinfo_endpoint: "https://id.example.com/userinfo",
      jwks_uri: "https://id.example.com/jwks",
      authorization_response_iss_parameter_supported: true,
    },
  },
  claims: {
    sub: "248289761001",
    name: "Jane Doe",
    given_name: "Jane",
    family_name: "Doe",
    preferred_username: "j.doe",
    email: "janedoe@example.com",
    email_verified: true,
    picture: "https://example.com/janedoe/me.jpg",
  },
  token: {
    url: "https://id.example.com/token",
    answer: { access_token: "SlAV32hkKG", token_type: "Bearer", refresh_token: "8xLOxBtZp8", expires_in: 3600 },
    refusal: { status: 400, body: { error: "invalid_request" } },
  },
  id: "sub",
  user: {
    id: "248289761001",
    name: "Jane Doe",
    email: "janedoe@example.com",
    image: "https://example.com/janedoe/me.jpg",
  },
} satisfies ProviderCase
