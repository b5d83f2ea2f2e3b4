import type { ProviderCase } from "../support/catalogue.js"

/** @see https://huggingface.co/docs/hub/oauth */
export default {
  start: { url: "https://huggingface.co/oauth/authorize", params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://huggingface.co/.well-known/openid-configuration",
    document: {
      issuer: "https://huggingface.co",
      authorization_endpoint: "https://huggingface.co/oauth/authorize",
      token_endpoint: "https://huggingface.co/oauth/token",
      userinfo_endpoint: "https://huggingface.co/oauth/userinfo",
      jwks_uri: "https://huggingface.co/oauth/jwks",
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: {
    sub: "62f264b9f3c90f4b6514a269",
    name: "Ada Example",
    preferred_username: "ada-example",
    profile: "https://huggingface.co/ada-example",
    picture: "https://huggingface.co/avatars/c9d1.svg",
    website: "https://ada.example.com",
    email: "ada@example.com",
    email_verified: true,
    isPro: false,
    orgs: [
      {
        sub: "5e67bd5b1009063689407478",
        name: "Example",
        preferred_username: "example",
        picture: "https://huggingface.co/avatars/e1.svg",
        isEnterprise: false,
        roleInOrg: "read",
      },
    ],
  },
  token: {
    url: "https://huggingface.co/oauth/token",
    answer: {
      access_token: "hf_oauth_example",
      token_type: "bearer",
      expires_in: 28800,
      scope: "openid profile email",
    },
  },
  id: "sub",
  user: {
    id: "62f264b9f3c90f4b6514a269",
    name: "Ada Example",
    email: "ada@example.com",
    image: "https://huggingface.co/avatars/c9d1.svg",
  },
  differs: { checks: "the provider documents the nonce" },
} satisfies ProviderCase
