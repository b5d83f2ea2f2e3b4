import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.login.gov/oidc/authorization/ */
export default {
  start: {
    url: "https://secure.login.gov/openid_connect/authorize",
    params: { scope: "openid email", acr_values: "urn:acr.login.gov:auth-only", prompt: "select_account" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://secure.login.gov/.well-known/openid-configuration",
    document: {
      issuer: "https://secure.login.gov/",
      authorization_endpoint: "https://secure.login.gov/openid_connect/authorize",
      token_endpoint: "https://secure.login.gov/api/openid_connect/token",
      userinfo_endpoint: "https://secure.login.gov/api/openid_connect/userinfo",
      jwks_uri: "https://secure.login.gov/api/openid_connect/certs",
      end_session_endpoint: "https://secure.login.gov/openid_connect/logout",
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["private_key_jwt"],
    },
  },
  claims: {
    sub: "b2d2d115-1d7e-4579-b9d6-f8e84f4f56ca",
    acr: "urn:acr.login.gov:auth-only",
    jti: "jC7NnU8dNNV5lisQBm1jtA",
    at_hash: "pIO1Ev1OASXbUCiUMHviNg",
    c_hash: "hXjq7kOrtQK_za_6tONxcw",
  },
  token: {
    url: "https://secure.login.gov/api/openid_connect/token",
    auth: "none",
    answer: { access_token: "hhJES3wcgjI55jzjBvZpNQ", token_type: "Bearer", expires_in: 3600 },
  },
  api: {
    "GET https://secure.login.gov/api/openid_connect/userinfo": {
      body: {
        address: {
          formatted: "123 Main St Apt 123\nWashington, DC 20001",
          street_address: "123 Main St Apt 123",
          locality: "Washington",
          region: "DC",
          postal_code: "20001",
        },
        birthdate: "1970-01-01",
        email: "test@example.com",
        email_verified: true,
        all_emails: ["test@example.com", "test2@example.com"],
        locale: "en",
        family_name: "Smith",
        given_name: "John",
        iss: "https://secure.login.gov/",
        phone: "+18881112222",
        phone_verified: true,
        sub: "b2d2d115-1d7e-4579-b9d6-f8e84f4f56ca",
        verified_at: 1577854800,
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: "b2d2d115-1d7e-4579-b9d6-f8e84f4f56ca", name: "John Smith", email: "test@example.com", image: null },
  also: [
    // The profile has no name unless the application requests the verification of identities.
    { profile: { sub: "1", email: "test@example.com" }, user: { name: null, email: "test@example.com" } },
  ],
  variants: [
    {
      options: {
        authorization: { params: { acr_values: "urn:acr.login.gov:verified", scope: "openid email profile:name" } },
      },
      start: { params: { acr_values: "urn:acr.login.gov:verified", scope: "openid email profile:name" } },
    },
    {
      options: { issuer: "https://idp.int.identitysandbox.gov" },
      start: { url: "https://idp.int.identitysandbox.gov/openid_connect/authorize" },
      discovery: {
        url: "https://idp.int.identitysandbox.gov/.well-known/openid-configuration",
        document: {
          issuer: "https://idp.int.identitysandbox.gov/",
          authorization_endpoint: "https://idp.int.identitysandbox.gov/openid_connect/authorize",
          jwks_uri: "https://idp.int.identitysandbox.gov/api/openid_connect/certs",
        },
      },
    },
  ],
} satisfies ProviderCase
