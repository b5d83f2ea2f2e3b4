import type { ProviderCase } from "../support/catalogue.js"

const TENANT = "https://my-tenant.accounts.ondemand.com"

/** @see https://help.sap.com/viewer/6d6d63354d1242d185ab4830fc04feb1/Cloud/en-US/a789c9c8c0f5439da8c30b5d9e43bece.html */
export default {
  options: { issuer: TENANT },
  start: { url: `${TENANT}/oauth2/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${TENANT}/.well-known/openid-configuration`,
    document: {
      issuer: TENANT,
      authorization_endpoint: `${TENANT}/oauth2/authorize`,
      token_endpoint: `${TENANT}/oauth2/token`,
      userinfo_endpoint: `${TENANT}/oauth2/userinfo`,
      jwks_uri: `${TENANT}/oauth2/certs`,
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: {
    // The client of a consumed service is listed besides that of the application.
    aud: ["the-client", "1aa234ca-faed-4fb2-966e-7c86262ba93c"],
    azp: "the-client",
    sub: "3c0a1b2d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
    user_uuid: "3c0a1b2d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
    given_name: "Dona",
    family_name: "Moore",
    email: "dona.moore@example.com",
    email_verified: true,
    groups: ["Employees"],
  },
  token: {
    url: `${TENANT}/oauth2/token`,
    answer: { access_token: "9e3a1b", token_type: "Bearer", expires_in: 3600 },
  },
  id: "sub",
  user: {
    id: "3c0a1b2d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
    name: "Dona Moore",
    email: "dona.moore@example.com",
    image: null,
  },
  also: [{ profile: { sub: "1", family_name: "Moore" }, user: { name: "Moore", image: null } }],
} satisfies ProviderCase
