import type { ProviderCase } from "../support/catalogue.js"

const REALM = "https://keycloak.example.com/auth/realms/my%20realm%20%232"
const CONNECT = `${REALM}/protocol/openid-connect`

/** @see https://www.keycloak.org/securing-apps/oidc-layers */
export default {
  options: { baseUrl: "https://keycloak.example.com/auth/", realm: "my realm #2" },
  env: { AUTH_KEYCLOAK_ISSUER: REALM },
  start: { url: `${CONNECT}/auth`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${REALM}/.well-known/openid-configuration`,
    document: {
      issuer: REALM,
      authorization_endpoint: `${CONNECT}/auth`,
      token_endpoint: `${CONNECT}/token`,
      userinfo_endpoint: `${CONNECT}/userinfo`,
      jwks_uri: `${CONNECT}/certs`,
      authorization_response_iss_parameter_supported: true,
    },
  },
  claims: {
    auth_time: 1700000000,
    jti: "f1b4a2f0-9f2d-4e5b-8a3c-6d7e8f9a0b1c",
    sub: "4f1c9b6e-0d1f-4c2a-9b7e-3a5d6c8e7f90",
    typ: "ID",
    azp: "the-client",
    sid: "8d2e1c0b-5a4f-4b3e-9c7d-1e0f2a3b4c5d",
    acr: "1",
    email_verified: true,
    name: "Jane Doe",
    preferred_username: "jane",
    given_name: "Jane",
    family_name: "Doe",
    email: "jane@example.com",
  },
  token: {
    url: `${CONNECT}/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsInR5cCIgOiAiSldUIiwia2lkIiA6ICJmaWN0aXRpb3VzIn0",
      expires_in: 300,
      refresh_expires_in: 1800,
      refresh_token: "eyJhbGciOiJIUzUxMiIsInR5cCIgOiAiSldUIiwia2lkIiA6ICJmaWN0aXRpb3VzIn0",
      token_type: "Bearer",
      "not-before-policy": 0,
      session_state: "8d2e1c0b-5a4f-4b3e-9c7d-1e0f2a3b4c5d",
      scope: "openid profile email",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Code not valid" } },
  },
  id: "sub",
  user: { id: "4f1c9b6e-0d1f-4c2a-9b7e-3a5d6c8e7f90", name: "Jane Doe", email: "jane@example.com", image: null },
  // The issuer has priority over baseUrl.
  variants: [{ options: { issuer: REALM, baseUrl: "https://elsewhere.example.com" }, start: {} }],
  differs: { issuer: "can be derived from the options `baseUrl` and `realm`" },
} satisfies ProviderCase
