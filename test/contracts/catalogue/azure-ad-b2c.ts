import type { ProviderCase } from "../support/catalogue.js"

const FLOW = "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com/B2C_1_signupsignin"
const ISSUER = `${FLOW}/v2.0`

/** @see https://learn.microsoft.com/en-us/azure/active-directory-b2c/openid-connect */
export default {
  options: { issuer: ISSUER },
  start: { url: `${FLOW}/oauth2/v2.0/authorize`, params: { scope: "openid the-client" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: "https://fabrikamb2c.b2clogin.com/775527ff-9a37-4307-8b3d-cc311f58d925/v2.0/",
      authorization_endpoint: `${FLOW}/oauth2/v2.0/authorize`,
      token_endpoint: `${FLOW}/oauth2/v2.0/token`,
      end_session_endpoint: `${FLOW}/oauth2/v2.0/logout`,
      jwks_uri: `${FLOW}/discovery/v2.0/keys`,
      scopes_supported: ["openid"],
    },
  },
  claims: {
    ver: "1.0",
    sub: "884408e1-2918-4cz0-b12d-3aa027d7563b",
    oid: "884408e1-2918-4cz0-b12d-3aa027d7563b",
    nbf: 1438535543,
    auth_time: 1438535543,
    tfp: "B2C_1_signupsignin",
    idp: "facebook.com",
    name: "Jane Doe",
    given_name: "Jane",
    family_name: "Doe",
    country: "Germany",
    postalCode: "10115",
    emails: ["jane@fabrikam.com"],
  },
  token: {
    url: `${FLOW}/oauth2/v2.0/token`,
    answer: {
      not_before: "1442340812",
      token_type: "Bearer",
      access_token: "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsIng1dCI6Ik5HVEZ2ZEstZnl0aEV1Q",
      scope: "the-client",
      expires_in: "3600",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "AADB2C90080: The provided grant has expired. Please re-authenticate and try again.",
      },
    },
  },
  id: "sub",
  user: {
    id: "884408e1-2918-4cz0-b12d-3aa027d7563b",
    name: "Jane Doe",
    email: "jane@fabrikam.com",
    image: null,
  },
  also: [{ profile: { sub: "1", preferred_username: "jane", emails: [] }, user: { name: "jane", email: null } }],
  differs: {
    params: "requests the client id as a scope, because B2C otherwise issues no access token",
  },
} satisfies ProviderCase
