import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.yahoo.com/oauth2/guide/openid_connect/getting_started.html */
export default {
  start: { url: "https://api.login.yahoo.com/oauth2/request_auth", params: { scope: "openid profile email" } },
  checks: ["state", "nonce"],
  discovery: {
    url: "https://api.login.yahoo.com/.well-known/openid-configuration",
    document: {
      issuer: "https://api.login.yahoo.com",
      authorization_endpoint: "https://api.login.yahoo.com/oauth2/request_auth",
      token_endpoint: "https://api.login.yahoo.com/oauth2/get_token",
      userinfo_endpoint: "https://api.login.yahoo.com/openid/v1/userinfo",
      jwks_uri: "https://api.login.yahoo.com/openid/v1/certs",
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    },
  },
  claims: { sub: "FSVIDUW3D7FSVIDUW3D72F2F", auth_time: 1_441_119_200 },
  idTokenAlg: "ES256",
  token: {
    url: "https://api.login.yahoo.com/oauth2/get_token",
    answer: {
      access_token: "Jzxbkqqcvjqik2IMxGFEE1cuaos",
      token_type: "bearer",
      expires_in: 3600,
      refresh_token: "AOiRUlJn_qOmVfKvFg2Zy8",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Invalid authorization code" } },
  },
  api: {
    "GET https://api.login.yahoo.com/openid/v1/userinfo": {
      body: {
        sub: "FSVIDUW3D7FSVIDUW3D72F2F",
        name: "Jane Doe",
        given_name: "Jane",
        family_name: "Doe",
        preferred_username: "j.doe",
        email: "janedoe@example.com",
        picture: "http://example.com/janedoe/me.jpg",
      },
    },
  },
  id: "sub",
  user: {
    id: "FSVIDUW3D7FSVIDUW3D72F2F",
    name: "Jane Doe",
    email: "janedoe@example.com",
    image: "http://example.com/janedoe/me.jpg",
  },
} satisfies ProviderCase
