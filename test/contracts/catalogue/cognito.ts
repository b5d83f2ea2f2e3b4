import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE"
const DOMAIN = "https://mydomain.auth.us-west-2.amazoncognito.com"

/** @see https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html */
export default {
  options: { issuer: ISSUER },
  start: { url: `${DOMAIN}/oauth2/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      authorization_endpoint: `${DOMAIN}/oauth2/authorize`,
      id_token_signing_alg_values_supported: ["RS256"],
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      response_types_supported: ["code", "token"],
      scopes_supported: ["openid", "email", "phone", "profile"],
      subject_types_supported: ["public"],
      token_endpoint: `${DOMAIN}/oauth2/token`,
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      userinfo_endpoint: `${DOMAIN}/oauth2/userInfo`,
    },
  },
  claims: {
    sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
    "cognito:groups": ["test-group-a", "test-group-b", "test-group-c"],
    email_verified: true,
    "cognito:preferred_role": "arn:aws:iam::111122223333:role/my-test-role",
    "cognito:username": "my-test-user",
    given_name: "Test",
    origin_jti: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
    "cognito:roles": ["arn:aws:iam::111122223333:role/my-test-role"],
    identities: [
      {
        userId: "amzn1.account.EXAMPLE",
        providerName: "LoginWithAmazon",
        providerType: "LoginWithAmazon",
        issuer: null,
        primary: "true",
        dateCreated: "1642699117273",
      },
    ],
    event_id: "64f513be-32db-42b0-b78e-b02127b4f463",
    token_use: "id",
    auth_time: 1676312777,
    family_name: "User",
    name: "Test User",
    picture: "https://example.com/my-test-user.png",
    jti: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
    email: "my-test-user@example.com",
  },
  token: {
    url: `${DOMAIN}/oauth2/token`,
    answer: { access_token: "eyJra1example", refresh_token: "eyJj3example", token_type: "Bearer", expires_in: 3600 },
    refusal: { status: 400, body: { error: "invalid_grant" } },
  },
  id: "sub",
  user: {
    id: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
    name: "Test User",
    email: "my-test-user@example.com",
    image: "https://example.com/my-test-user.png",
  },
} satisfies ProviderCase
