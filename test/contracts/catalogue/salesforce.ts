import type { ProviderCase } from "../support/catalogue.js"

const SUB = "https://login.salesforce.com/id/00Dx0000000BV7zEAG/005x00000012Q9PAAU"
const FILES = "https://example.file.force.com/profilephoto/005"
const DOMAIN = "https://example.my.salesforce.com"

/** @see https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_using_userinfo_endpoint.htm */
export default {
  start: {
    url: "https://login.salesforce.com/services/oauth2/authorize",
    params: { scope: "openid profile email" },
  },
  checks: ["pkce", "state", "nonce"],
  discovery: {
    url: "https://login.salesforce.com/.well-known/openid-configuration",
    document: {
      issuer: "https://login.salesforce.com",
      authorization_endpoint: "https://login.salesforce.com/services/oauth2/authorize",
      token_endpoint: "https://login.salesforce.com/services/oauth2/token",
      userinfo_endpoint: "https://login.salesforce.com/services/oauth2/userinfo",
      jwks_uri: "https://login.salesforce.com/id/keys",
      id_token_signing_alg_values_supported: ["RS256"],
    },
  },
  claims: { sub: SUB },
  token: {
    url: "https://login.salesforce.com/services/oauth2/token",
    answer: {
      access_token: "00Dx0000000BV7z!AR8AQP0jITN80ESEsj5EbaZTFG0R",
      refresh_token: "5Aep8614iLM.Dq661ePDmPEgaAW9",
      signature: "CMJ4l+CCaPQiKjoOEwEig9H4wqhpuLSk4J2urAe+fVg=",
      scope: "openid profile email",
      instance_url: DOMAIN,
      id: SUB,
      token_type: "Bearer",
      issued_at: "1278448384422",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "invalid authorization code" } },
  },
  api: {
    "GET https://login.salesforce.com/services/oauth2/userinfo": {
      body: {
        sub: SUB,
        user_id: "005x00000012Q9PAAU",
        organization_id: "00Dx0000000BV7zEAG",
        preferred_username: "roberta@example.com.production",
        nickname: "roberta",
        name: "Roberta Smith",
        email: "roberta.smith@example.com",
        email_verified: true,
        given_name: "Roberta",
        family_name: "Smith",
        zoneinfo: "Europe/Paris",
        photos: { picture: `${FILES}/F`, thumbnail: `${FILES}/T` },
        profile: `${DOMAIN}/005x00000012Q9PAAU`,
        picture: `${FILES}/F`,
        address: { country: "FR" },
        is_salesforce_integration_user: false,
        urls: {
          enterprise: `${DOMAIN}/services/Soap/c/{version}/00Dx0000000BV7z`,
          rest: `${DOMAIN}/services/data/v{version}/`,
          custom_domain: DOMAIN,
        },
        active: true,
        user_type: "STANDARD",
        language: "en_US",
        locale: "fr_FR_EURO",
        utcOffset: 3_600_000,
        updated_at: "2024-03-27T09:29:49Z",
        is_app_installed: true,
      },
    },
  },
  id: "sub",
  emailVerified: true,
  user: { id: SUB, name: "Roberta Smith", email: "roberta.smith@example.com", image: `${FILES}/F` },
} satisfies ProviderCase
