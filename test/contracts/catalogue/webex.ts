import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.webex.com/docs/integrations */
export default {
  start: { url: "https://webexapis.com/v1/authorize", params: { scope: "spark:kms spark:people_read" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://webexapis.com/v1/access_token",
    auth: "post",
    answer: {
      access_token: "ZDI3MGEyYzQtNmFlNS00NDNhLWFlNzAtZGVjNjE0MGU1OGZmZWNmZDEwN2ItYTU3",
      expires_in: 1209600,
      refresh_token: "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4",
      refresh_token_expires_in: 7776000,
    },
    refusal: {
      status: 400,
      body: {
        message: "The request could not be understood by the server due to malformed syntax.",
        errors: [{ description: "The request could not be understood by the server due to malformed syntax." }],
        trackingId: "ROUTER_64F1A0B2-3C4D-01BB-6A7B-8C9D0E1F6A7B",
      },
    },
  },
  api: {
    "GET https://webexapis.com/v1/people/me": {
      body: {
        id: "Y2lzY29zcGFyazovL3VzL1BFT1BMRS9mNWIzNjE4Ny1jOGRkLTQ3MjctOGIyZi1mOWM0NDdmMjkwNDY",
        emails: ["john.andersen@example.com"],
        phoneNumbers: [{ type: "work", value: "+1 408 526 7209" }],
        displayName: "John Andersen",
        nickName: "John",
        firstName: "John",
        lastName: "Andersen",
        avatar:
          "https://avatar-prod-us-east-2.webexcontent.com/Avtr~V1~1eb65fdf-9643-417f-9974-ad72cae0e10f/V1~4e3f3c1a~80",
        orgId: "Y2lzY29zcGFyazovL3VzL09SR0FOSVpBVElPTi85NmFiYzJhYS0zZGNjLTExZTUtYTE1Mi1mZTM0ODE5Y2RjOWE",
        created: "2015-10-18T14:26:16.000Z",
        lastActivity: "2015-10-18T14:26:16.028Z",
        status: "active",
        type: "person",
      },
    },
  },
  id: "id",
  user: {
    id: "Y2lzY29zcGFyazovL3VzL1BFT1BMRS9mNWIzNjE4Ny1jOGRkLTQ3MjctOGIyZi1mOWM0NDdmMjkwNDY",
    name: "John Andersen",
    email: "john.andersen@example.com",
    image: "https://avatar-prod-us-east-2.webexcontent.com/Avtr~V1~1eb65fdf-9643-417f-9974-ad72cae0e10f/V1~4e3f3c1a~80",
  },
  variants: [
    {
      options: { apiBaseUrl: "https://api-usgov.webex.com/v1/" },
      start: { url: "https://api-usgov.webex.com/v1/authorize" },
    },
  ],
  differs: { client: "the secret is sent in the request body" },
} satisfies ProviderCase
