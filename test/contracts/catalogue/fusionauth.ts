import type { ProviderCase } from "../support/catalogue.js"

const SERVER = "https://sandbox.fusionauth.io"
const TENANT = "30663132-6464-6665-3032-326466613934"

/** @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/endpoints */
export default {
  options: { issuer: SERVER, tenantId: TENANT },
  env: { AUTH_FUSIONAUTH_TENANT_ID: TENANT },
  start: {
    url: `${SERVER}/oauth2/authorize`,
    params: { scope: "openid offline_access email profile", tenantId: TENANT },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: `${SERVER}/.well-known/openid-configuration?tenantId=${TENANT}`,
    document: {
      issuer: SERVER,
      authorization_endpoint: `${SERVER}/oauth2/authorize`,
      token_endpoint: `${SERVER}/oauth2/token`,
      userinfo_endpoint: `${SERVER}/oauth2/userinfo`,
      jwks_uri: `${SERVER}/.well-known/jwks.json`,
    },
  },
  claims: {
    sub: "00000000-0000-0001-0000-000000000000",
    jti: "c4ba8df3-ff71-4e0e-9d5b-1f1b0c2c5c42",
    authenticationType: "PASSWORD",
    applicationId: "3c219e58-ed0e-4b18-ad48-f4f92793ae32",
    roles: ["admin"],
    auth_time: 1700000000,
    tid: TENANT,
    email: "dinesh@fusionauth.io",
    email_verified: true,
    preferred_username: "dinesh",
    given_name: "Dinesh",
    family_name: "Chugtai",
    picture: "https://fusionauth.io/dinesh.png",
  },
  token: {
    url: `${SERVER}/oauth2/token`,
    answer: {
      access_token: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
      expires_in: 3600,
      refresh_token: "ze9fi6Y9sMSf3yWp3aaO2w7AMav2MFdiMIi2GObrAi-i3248oo0jTQ",
      refresh_token_id: "c4ba8df3-ff71-4e0e-9d5b-1f1b0c2c5c42",
      scope: "openid offline_access email profile",
      token_type: "Bearer",
      userId: "00000000-0000-0001-0000-000000000000",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "Invalid Authorization Code",
        error_reason: "auth_code_not_found",
      },
    },
  },
  id: "sub",
  user: {
    id: "00000000-0000-0001-0000-000000000000",
    name: "dinesh",
    email: "dinesh@fusionauth.io",
    image: "https://fusionauth.io/dinesh.png",
  },
  also: [
    {
      profile: { sub: "1", given_name: "Dinesh", middle_name: "B.", family_name: "Chugtai" },
      user: { name: "Dinesh B. Chugtai" },
    },
    { profile: { sub: "1", name: "Dinesh Chugtai", preferred_username: "dinesh" }, user: { name: "Dinesh Chugtai" } },
  ],
  variants: [
    {
      options: { tenantId: undefined },
      start: { params: { tenantId: undefined } },
      discovery: {
        url: `${SERVER}/.well-known/openid-configuration`,
        document: {
          issuer: SERVER,
          authorization_endpoint: `${SERVER}/oauth2/authorize`,
          jwks_uri: `${SERVER}/.well-known/jwks.json`,
        },
      },
    },
  ],
  differs: { checks: "the provider documents the nonce" },
} satisfies ProviderCase
