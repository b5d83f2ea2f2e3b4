import type { ProviderCase } from "../support/catalogue.js"

const SERVER = "https://demo.identityserver.io"

/** @see https://identityserver4.readthedocs.io/en/latest/endpoints/userinfo.html */
export default {
  options: { issuer: SERVER },
  start: { url: `${SERVER}/connect/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${SERVER}/.well-known/openid-configuration`,
    document: {
      issuer: SERVER,
      jwks_uri: `${SERVER}/.well-known/openid-configuration/jwks`,
      authorization_endpoint: `${SERVER}/connect/authorize`,
      token_endpoint: `${SERVER}/connect/token`,
      userinfo_endpoint: `${SERVER}/connect/userinfo`,
      end_session_endpoint: `${SERVER}/connect/endsession`,
    },
  },
  claims: {
    sub: "818727",
    amr: ["pwd"],
    auth_time: 1700000000,
    idp: "local",
    sid: "5F3A2C0E9D8B7A6F5E4D3C2B1A098F7E",
  },
  token: {
    url: `${SERVER}/connect/token`,
    answer: {
      access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IjdGM0YifQ",
      expires_in: 3600,
      token_type: "Bearer",
      scope: "openid profile email",
    },
    refusal: { status: 400, body: { error: "invalid_grant" } },
  },
  api: {
    [`GET ${SERVER}/connect/userinfo`]: {
      body: {
        sub: "818727",
        name: "Alice Smith",
        given_name: "Alice",
        family_name: "Smith",
        email: "AliceSmith@email.com",
        email_verified: true,
        website: "http://alice.com",
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: "818727", name: "Alice Smith", email: "AliceSmith@email.com", image: null },
  differs: {
    idToken: "userinfo is used, since the id_token has no name or address by default",
  },
} satisfies ProviderCase
