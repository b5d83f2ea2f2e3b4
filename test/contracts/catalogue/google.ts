import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.google.com/identity/openid-connect/openid-connect */
export default {
  start: {
    url: "https://accounts.google.com/o/oauth2/v2/auth",
    params: { scope: "openid profile email" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://accounts.google.com/.well-known/openid-configuration",
    document: {
      issuer: "https://accounts.google.com",
      authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      token_endpoint: "https://oauth2.googleapis.com/token",
      userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
      jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
    },
  },
  claims: {
    azp: "the-client",
    sub: "10769150350006150715113082367",
    email: "jsmith@example.com",
    email_verified: true,
    hd: "example.com",
    name: "John Smith",
    given_name: "John",
    family_name: "Smith",
    picture: "https://lh3.googleusercontent.com/a/default-user=s96-c",
  },
  token: {
    url: "https://oauth2.googleapis.com/token",
    answer: { access_token: "ya29.a0Af", expires_in: 3599, scope: "openid email profile", token_type: "Bearer" },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Malformed auth code." } },
  },
  id: "sub",
  user: {
    id: "10769150350006150715113082367",
    name: "John Smith",
    email: "jsmith@example.com",
    image: "https://lh3.googleusercontent.com/a/default-user=s96-c",
  },
} satisfies ProviderCase
