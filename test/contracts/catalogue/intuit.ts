import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://oauth.platform.intuit.com/op/v1"
const SUB = "6b5f7d3e-1a2b-4c3d-8e9f-0a1b2c3d4e5f"

/** @see https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/openid-connect */
export default {
  start: { url: "https://appcenter.intuit.com/connect/oauth2", params: { scope: "openid profile email" } },
  checks: ["state"],
  discovery: {
    url: "https://developer.api.intuit.com/.well-known/openid_configuration",
    document: {
      issuer: ISSUER,
      authorization_endpoint: "https://appcenter.intuit.com/connect/oauth2",
      token_endpoint: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
      userinfo_endpoint: "https://accounts.platform.intuit.com/v1/openid_connect/userinfo",
      revocation_endpoint: "https://developer.api.intuit.com/v2/oauth2/tokens/revoke",
      jwks_uri: `${ISSUER}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid", "email", "profile", "address", "phone"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      claims_supported: ["aud", "exp", "iat", "iss", "realmid", "sub"],
    },
  },
  claims: { sub: SUB, aud: ["the-client"], realmid: "1231434565226279", auth_time: 1_609_459_200 },
  token: {
    url: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
    answer: {
      token_type: "bearer",
      expires_in: 3600,
      refresh_token: "L311478109728uVoOkDSUCl4s8FDRvjHR6kUKz0RHe3WtZQuBq",
      x_refresh_token_expires_in: 8_726_400,
      access_token: "eyJlbmMiOi.intuit.example",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Invalid authorization code" } },
  },
  api: {
    "GET https://accounts.platform.intuit.com/v1/openid_connect/userinfo": {
      body: {
        sub: SUB,
        givenName: "Jane",
        familyName: "Doe",
        email: "jane.doe@example.com",
        emailVerified: true,
        phoneNumber: "+1 6505550100",
        phoneNumberVerified: false,
        address: {
          streetAddress: "2632 Marine Way",
          locality: "Mountain View",
          region: "CA",
          postalCode: "94043",
          country: "US",
        },
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: SUB, name: "Jane Doe", email: "jane.doe@example.com", image: null },
  also: [{ profile: { sub: "1", givenName: "Jane" }, user: { name: "Jane" } }],
  variants: [
    {
      options: { sandbox: true },
      start: {},
      discovery: {
        url: "https://developer.api.intuit.com/.well-known/openid_sandbox_configuration",
        document: {
          issuer: ISSUER,
          authorization_endpoint: "https://appcenter.intuit.com/connect/oauth2",
          token_endpoint: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
          userinfo_endpoint: "https://sandbox-accounts.platform.intuit.com/v1/openid_connect/userinfo",
          jwks_uri: `${ISSUER}/jwks`,
        },
      },
    },
  ],
} satisfies ProviderCase
