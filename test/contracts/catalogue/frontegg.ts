import type { ProviderCase } from "../support/catalogue.js"

const ISSUER = "https://my-app.frontegg.com"

/** @see https://developers.frontegg.com/ciam/guides/management/frontegg-idp/via-oidc */
export default {
  options: { issuer: ISSUER },
  start: { url: `${ISSUER}/oauth/authorize`, params: { scope: "openid profile email" } },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${ISSUER}/oauth/.well-known/openid-configuration`,
    document: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      userinfo_endpoint: `${ISSUER}/identity/resources/users/v2/me`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    },
  },
  claims: {
    sub: "cacc0a5e-6b1f-4b4e-9a36-e1e4f2b7c4d1",
    name: "Jane Doe",
    email: "jane@example.com",
    email_verified: true,
    profilePictureUrl: "https://www.gravatar.com/avatar/9e26471d35a78862c17e467d87cddedf?d=identicon",
    metadata: {},
    roles: ["Admin"],
    permissions: ["fe.secure.*"],
    tenantId: "36ed5abf-d7b5-4a7d-9d4b-6d3f1d0f3a5c",
    tenantIds: ["36ed5abf-d7b5-4a7d-9d4b-6d3f1d0f3a5c"],
    type: "userToken",
  },
  token: {
    url: `${ISSUER}/oauth/token`,
    answer: {
      token_type: "Bearer",
      access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9",
      refresh_token: "6f9c1f1e-58c1-4f7e-a9c0-4f3d2b1a0e9f",
      expires_in: 86400,
    },
  },
  id: "sub",
  user: {
    id: "cacc0a5e-6b1f-4b4e-9a36-e1e4f2b7c4d1",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://www.gravatar.com/avatar/9e26471d35a78862c17e467d87cddedf?d=identicon",
  },
  also: [{ profile: { sub: "1", name: "Jane Doe", profilePictureUrl: null }, user: { name: "Jane Doe", image: null } }],
  differs: { user: "reads the picture from `profilePictureUrl`" },
} satisfies ProviderCase
