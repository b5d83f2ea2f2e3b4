import type { ProviderCase } from "../support/catalogue.js"

/** @see https://auth.hackclub.com/docs/oidc-guide */
export default {
  start: { url: "https://auth.hackclub.com/oauth/authorize", params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://auth.hackclub.com/.well-known/openid-configuration",
    document: {
      issuer: "https://auth.hackclub.com",
      authorization_endpoint: "https://auth.hackclub.com/oauth/authorize",
      token_endpoint: "https://auth.hackclub.com/oauth/token",
      userinfo_endpoint: "https://auth.hackclub.com/oauth/userinfo",
      jwks_uri: "https://auth.hackclub.com/oauth/discovery/keys",
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: {
    sub: "ident!sdfjksfjd",
    name: "Heidi Trashworth",
    given_name: "Heidi",
    family_name: "Trashworth",
    email: "racc@garbagemail.biz",
    email_verified: true,
    verification_status: "verified",
    ysws_eligible: true,
  },
  token: {
    url: "https://auth.hackclub.com/oauth/token",
    auth: "post",
    answer: { access_token: "idntk.abc123", token_type: "Bearer" },
  },
  id: "sub",
  user: { id: "ident!sdfjksfjd", name: "Heidi Trashworth", email: "racc@garbagemail.biz", image: null },
} satisfies ProviderCase
