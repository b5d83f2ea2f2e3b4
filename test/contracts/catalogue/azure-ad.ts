import type { ProviderCase } from "../support/catalogue.js"

const ORIGIN = "https://login.microsoftonline.com"
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47"
const PHOTO = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10])

/** @see https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow */
export default {
  start: {
    url: `${ORIGIN}/common/oauth2/v2.0/authorize`,
    params: { scope: "openid profile email User.Read" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ORIGIN}/common/v2.0/.well-known/openid-configuration`,
    document: {
      issuer: `${ORIGIN}/{tenantid}/v2.0`,
      authorization_endpoint: `${ORIGIN}/common/oauth2/v2.0/authorize`,
      token_endpoint: `${ORIGIN}/common/oauth2/v2.0/token`,
      userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
      jwks_uri: `${ORIGIN}/common/discovery/v2.0/keys`,
    },
  },
  claims: {
    ver: "2.0",
    iss: `${ORIGIN}/${TENANT}/v2.0`,
    sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
    name: "Abe Lincoln",
    preferred_username: "AbeLi@microsoft.com",
    email: "abeli@microsoft.com",
    oid: "00000000-0000-0000-66f3-3332eca7ea81",
    tid: TENANT,
  },
  token: {
    url: `${ORIGIN}/common/oauth2/v2.0/token`,
    answer: {
      access_token: "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsIng1dCI6Ik5HVEZ2ZEstZnl0aEV1Q",
      token_type: "Bearer",
      expires_in: 3599,
      scope: "openid profile email User.Read",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "AADSTS70000: The provided value for the 'code' parameter is not valid.",
        error_codes: [70000],
        timestamp: "2016-01-09 02:02:12Z",
        trace_id: "255d1aef-8c98-452f-ac51-23d051240864",
        correlation_id: "fb3d2015-bc17-4bb9-bb85-30c5cf1aaaa7",
      },
    },
  },
  api: {
    "GET https://graph.microsoft.com/v1.0/me/photos/48x48/$value": { body: PHOTO, type: "image/jpeg" },
  },
  id: "sub",
  user: {
    id: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
    name: "Abe Lincoln",
    email: "abeli@microsoft.com",
    image: `data:image/jpeg;base64,${PHOTO.toString("base64")}`,
  },
  differs: { user: "gets the photo with the custom `fetch`, and its data URL contains no space" },
} satisfies ProviderCase
