import type { ProviderCase } from "../support/catalogue.js"

const SUITETALK = "https://1234567-sb1.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1"

/** @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_160855370280.html */
export default {
  options: { accountID: "1234567_SB1" },
  env: { AUTH_NETSUITE_ACCOUNT_ID: "1234567_SB1" },
  start: {
    url: "https://1234567-sb1.app.netsuite.com/app/login/oauth2/authorize.nl",
    params: { scope: "openid email" },
  },
  checks: ["state"],
  token: {
    url: `${SUITETALK}/token`,
    answer: {
      access_token: "the-token-of-netsuite",
      refresh_token: "the-next-token-of-netsuite",
      id_token: "of.no.use",
      // A string, as NetSuite sends it.
      expires_in: "3600",
      token_type: "bearer",
    },
    refusal: { status: 400, body: { error: "invalid_grant" } },
  },
  api: { [`GET ${SUITETALK}/userinfo`]: { body: { sub: "1111;10", email: "jane@example.com" } } },
  id: "sub",
  user: { id: "1111;10", name: null, email: "jane@example.com", image: null },
  // The response of a RESTlet.
  also: [{ profile: { id: 7, name: "Jane Doe", email: "jane@example.com" }, user: { id: "7", name: "Jane Doe" } }],
  variants: [
    {
      options: { userinfo: "https://1234567-sb1.restlets.api.netsuite.com/app/site/hosting/restlet.nl?script=1" },
      start: { params: { scope: "restlets rest_webservices" } },
    },
    {
      options: { accountID: "7654321" },
      start: { url: "https://7654321.app.netsuite.com/app/login/oauth2/authorize.nl" },
    },
  ],
  differs: {
    authorizationUrl: "host names of a sandbox contain a hyphen",
    token: "host names of a sandbox contain a hyphen",
    params: "requests the scopes of userinfo, or those of RESTlets if you set `userinfo`",
    userinfo: "has a default URL",
    user: "uses the `sub` of userinfo as the account id; Auth.js reads only responses of RESTlets",
  },
} satisfies ProviderCase
