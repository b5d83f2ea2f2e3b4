import type { ProviderCase } from "../support/catalogue.js"

const SUB = "c06c4afe-d9e1-4c5d-939a-177d752a0944"
const BASE = "https://api.vipps.no/access-management-1.0/access"

/** @see https://developer.vippsmobilepay.com/docs/APIs/login-api/api-guide/user-info */
export default {
  start: { url: `${BASE}/oauth2/auth`, params: { scope: "openid name email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${BASE}/.well-known/openid-configuration`,
    document: {
      issuer: `${BASE}/`,
      authorization_endpoint: `${BASE}/oauth2/auth`,
      token_endpoint: `${BASE}/oauth2/token`,
      userinfo_endpoint: "https://api.vipps.no/vipps-userinfo-api/userinfo",
      jwks_uri: `${BASE}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ["RS256"],
      response_modes_supported: ["query"],
      subject_types_supported: ["pairwise"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    },
  },
  claims: { sub: SUB, sid: "7d78a726-af92-499e-b857-de263ef9a969", auth_time: 1_557_319_296 },
  token: {
    url: `${BASE}/oauth2/token`,
    answer: {
      access_token: "hel39XaKjGH5tkCvIENGPNbsSHz1DLKluOat4qP-A4",
      expires_in: 3599,
      scope: "openid name email",
      token_type: "bearer",
    },
  },
  api: {
    "GET https://api.vipps.no/vipps-userinfo-api/userinfo": {
      body: {
        email: "user@example.com",
        email_verified: true,
        family_name: "User",
        given_name: "Test",
        name: "Test User",
        sid: "7d78a726-af92-499e-b857-de263ef9a969",
        sub: SUB,
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: SUB, name: "Test User", email: "user@example.com", image: null },
} satisfies ProviderCase
