import type { ProviderCase } from "../support/catalogue.js"

const PICTURE =
  "https://avatar-management--avatars.us-west-2.prod.public.atl-paas.net/112233aa-bb11-cc22-33dd-445566abcabc/1234abcd-9876-54aa-33aa-1234dfsade9487ds"

/** @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/ */
export default {
  start: {
    url: "https://auth.atlassian.com/authorize",
    params: { audience: "api.atlassian.com", scope: "read:me" },
  },
  checks: ["state"],
  token: {
    url: "https://auth.atlassian.com/oauth/token",
    auth: "post",
    answer: { access_token: "eyJhbGciOiJSUzI1NiJ9.e30.c2ln", expires_in: 3600, scope: "read:me" },
    refusal: {
      status: 403,
      body: { error: "invalid_grant", error_description: "Invalid authorization code" },
    },
  },
  api: {
    "GET https://api.atlassian.com/me": {
      body: {
        account_type: "atlassian",
        account_id: "112233aa-bb11-cc22-33dd-445566abcabc",
        email: "mia@example.com",
        name: "Mia Krystof",
        picture: PICTURE,
        account_status: "active",
        nickname: "mkrystof",
        zoneinfo: "Australia/Sydney",
        locale: "en-US",
        extended_profile: {
          job_title: "Designer",
          organization: "mia@example.com",
          department: "Design team",
          location: "Sydney",
        },
      },
    },
  },
  id: "account_id",
  user: {
    id: "112233aa-bb11-cc22-33dd-445566abcabc",
    name: "Mia Krystof",
    email: "mia@example.com",
    image: PICTURE,
  },
  also: [{ profile: { account_id: "1", nickname: "mkrystof" }, user: { name: "mkrystof" } }],
  differs: { client: "the secret is sent in the request body" },
} satisfies ProviderCase
