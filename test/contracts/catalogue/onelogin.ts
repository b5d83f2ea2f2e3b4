import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://my-company.onelogin.com/oidc/2"

/** @see https://developers.onelogin.com/openid-connect/scopes */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/auth`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/auth`,
      token_endpoint: `${ISSUER}/token`,
      userinfo_endpoint: `${ISSUER}/me`,
      jwks_uri: `${ISSUER}/certs`,
    },
  },
  claims: {
    sub: "35666371",
    email: "styler@onelogin.com",
    preferred_username: "Sally",
    name: "Sally Tyler",
    updated_at: "2018-04-13T22:08:45Z",
    given_name: "Sally",
    family_name: "Tyler",
  },
  token: {
    url: `${ISSUER}/token`,
    answer: {
      access_token: "MzU2NjYzNzEtZmljdGl0aW91cy1hY2Nlc3MtdG9rZW4",
      expires_in: 3600,
      token_type: "Bearer",
      scope: "openid profile email",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "grant request is invalid" } },
  },
  id: "sub",
  user: { id: "35666371", name: "Sally Tyler", email: "styler@onelogin.com", image: null },
  differs: { wellKnown: "the standard path below the issuer" },
} satisfies ProviderCase
