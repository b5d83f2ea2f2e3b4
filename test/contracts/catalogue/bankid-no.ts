import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://auth.bankid.no/auth/realms/prod"
const SUB = "9578-5999-4-1765512"

const USERINFO = "https://userinfo.bankid.no"

const userinfo = {
  iss: USERINFO,
  aud: "the-client",
  sub: SUB,
  name: "Kari Nordmann",
  given_name: "Kari",
  family_name: "Nordmann",
  birthdate: "1990-02-17",
  updated_at: 1_708_682_096,
  email: "kari.nordmann@example.com",
}

/** @see https://confluence.bankidnorge.no/confluence/pdoidcl/technical-documentation/api/userinfo */
export default {
  start: {
    url: `${ISSUER}/protocol/openid-connect/auth`,
    params: { scope: "openid profile email", ui_locales: "no", login_hint: "BIS" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/protocol/openid-connect/auth`,
      token_endpoint: `${ISSUER}/protocol/openid-connect/token`,
      userinfo_endpoint: `${USERINFO}/userinfo`,
      jwks_uri: `${ISSUER}/protocol/openid-connect/certs`,
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: {
    sub: SUB,
    azp: "the-client",
    typ: "ID",
    auth_time: 1_709_206_572,
    jti: "2b3b1a9c-0b5b-4b0e-8a64-6d4d2c1b5f5e",
    session_state: "d36d3efd-b973-4cbb-9856-f0901b182593",
    name: "Kari Nordmann",
    given_name: "Kari",
    family_name: "Nordmann",
    birthdate: "1990-02-17",
    acr: "urn:bankid:bis;LOA=3",
    amr: "BIS",
    bankid_altsub: SUB,
    originator: "CN=BankID - TestBank1 - Bank CA 3,OU=123456789,O=TestBank1 AS,C=NO",
  },
  token: {
    url: `${ISSUER}/protocol/openid-connect/token`,
    auth: "post",
    answer: {
      access_token: "eyJhbGciOi.bankid.example",
      token_type: "Bearer",
      expires_in: 300,
      refresh_token: "eyJhbGciOi.bankid.refresh",
      refresh_expires_in: 1800,
      scope: "openid profile email",
    },
  },
  api: {
    [`GET ${USERINFO}/userinfo`]: { signedWith: "RS256", body: userinfo, sent: { accept: "application/jwt" } },
  },
  id: "sub",
  user: { id: SUB, name: "Kari Nordmann", email: "kari.nordmann@example.com", image: null },
} satisfies ProviderCase
