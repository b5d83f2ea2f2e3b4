import type { ProviderCase } from "../support/catalogue.js"

const profile = {
  object: "profile",
  id: "prof_01DMC79VCBZ0NY2099737PSVF1",
  organization_id: "org_01EHWNCE74X7JSDV0X3SZ3KJNY",
  connection_id: "conn_01E4ZCR3C56J083X43JQXF3JK5",
  connection_type: "OktaSAML",
  idp_id: "00u1a0ufowBJlzPlk357",
  email: "todd@example.com",
  first_name: "Todd",
  last_name: "Rundgren",
  role: { slug: "admin" },
  groups: ["Engineering", "Admins"],
  custom_attributes: { department: "Engineering" },
  raw_attributes: { id: "00u1a0ufowBJlzPlk357", picture: "https://example.com/todd.png" },
}

/** @see https://workos.com/docs/reference/sso */
export default {
  options: { connection: "conn_01E4ZCR3C56J083X43JQXF3JK5" },
  env: { AUTH_WORKOS_CONNECTION: "conn_01E4ZCR3C56J083X43JQXF3JK5" },
  start: {
    url: "https://api.workos.com/sso/authorize",
    params: { connection: "conn_01E4ZCR3C56J083X43JQXF3JK5" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.workos.com/sso/token",
    auth: "post",
    answer: {
      token_type: "Bearer",
      access_token: "01DMEK0J53CVMC32CK5SE0KZ8Q",
      expires_in: 600,
      profile,
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "The code '01DVX3C5Z367SFHR8QNDMK7V24' has expired or is invalid.",
      },
    },
  },
  api: { "GET https://api.workos.com/sso/profile": { body: profile } },
  id: "id",
  user: {
    id: "prof_01DMC79VCBZ0NY2099737PSVF1",
    name: "Todd Rundgren",
    email: "todd@example.com",
    image: "https://example.com/todd.png",
  },
  also: [{ profile: { id: "prof_1", last_name: "Rundgren" }, user: { name: "Rundgren", image: null } }],
  variants: [
    {
      options: { connection: undefined, authorization: { params: { provider: "GoogleOAuth" } } },
      start: { params: { connection: undefined, provider: "GoogleOAuth" } },
    },
    { options: { issuer: "https://workos.example.com/" }, start: { url: "https://workos.example.com/sso/authorize" } },
  ],
  differs: { params: "omits the OpenID Connect scopes, which the provider does not support" },
} satisfies ProviderCase
