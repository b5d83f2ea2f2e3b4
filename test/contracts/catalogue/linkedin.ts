import type { ProviderCase } from "../support/catalogue.js"

/** @see https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2 */
export default {
  start: { url: "https://www.linkedin.com/oauth/v2/authorization", params: { scope: "openid profile email" } },
  checks: ["state"],
  discovery: {
    url: "https://www.linkedin.com/oauth/.well-known/openid-configuration",
    document: {
      issuer: "https://www.linkedin.com/oauth",
      authorization_endpoint: "https://www.linkedin.com/oauth/v2/authorization",
      token_endpoint: "https://www.linkedin.com/oauth/v2/accessToken",
      userinfo_endpoint: "https://api.linkedin.com/v2/userinfo",
      jwks_uri: "https://www.linkedin.com/oauth/openid/jwks",
      response_types_supported: ["code"],
      subject_types_supported: ["pairwise"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid", "profile", "email"],
    },
  },
  claims: {
    sub: "782bbtaQ",
    name: "John Doe",
    given_name: "John",
    family_name: "Doe",
    picture: "https://media.licdn-ei.com/dms/image/C5F03AQHqK8v7tB1HCQ/profile-displayphoto-shrink_100_100/0/",
    locale: "en-US",
    email: "doe@email.com",
    email_verified: true,
  },
  token: {
    url: "https://www.linkedin.com/oauth/v2/accessToken",
    auth: "post",
    answer: {
      access_token: "AQUvlL_DYEzvT2wz1QJiEPeLioeA",
      expires_in: 5_184_000,
      scope: "email,openid,profile",
      token_type: "Bearer",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_request",
        error_description: "Unable to retrieve access token: authorization code not found",
      },
    },
  },
  id: "sub",
  user: {
    id: "782bbtaQ",
    name: "John Doe",
    email: "doe@email.com",
    image: "https://media.licdn-ei.com/dms/image/C5F03AQHqK8v7tB1HCQ/profile-displayphoto-shrink_100_100/0/",
  },
} satisfies ProviderCase
