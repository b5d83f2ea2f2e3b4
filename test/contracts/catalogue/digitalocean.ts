import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.digitalocean.com/reference/api/oauth/ */
export default {
  start: { url: "https://cloud.digitalocean.com/v1/oauth/authorize", params: { scope: "account:read" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://cloud.digitalocean.com/v1/oauth/token",
    auth: "post",
    answer: {
      access_token: "doo_v1_EXAMPLE4efe8999d0892b6069bc754a78c656f8e843361e1e4d1cd04ac85c381",
      token_type: "bearer",
      expires_in: 2592000,
      refresh_token: "dor_v1_EXAMPLE3104521c47be0b580e9296453ef4y319b02b5513469f0ec72d99af2e2",
      info: {
        name: "Sammy the Shark",
        email: "sammy@digitalocean.com",
        uuid: "EXAMPLE0-a636-11ec-9e9d-3381ceabe039",
        team_uuid: "EXAMPLE1-a636-11ec-a6ac-1323bf96ef4d",
        team_name: "My Team",
      },
    },
  },
  api: {
    "GET https://api.digitalocean.com/v2/account": {
      body: {
        account: {
          droplet_limit: 25,
          floating_ip_limit: 5,
          reserved_ip_limit: 5,
          email: "sammy@digitalocean.com",
          name: "Sammy the Shark",
          uuid: "EXAMPLE0-a636-11ec-9e9d-3381ceabe039",
          email_verified: true,
          status: "active",
          status_message: " ",
          team: { uuid: "EXAMPLE1-a636-11ec-a6ac-1323bf96ef4d", name: "My Team" },
        },
      },
    },
  },
  id: "uuid",
  emailVerified: true,
  user: {
    id: "EXAMPLE0-a636-11ec-9e9d-3381ceabe039",
    name: "Sammy the Shark",
    email: "sammy@digitalocean.com",
    image: null,
  },
} satisfies ProviderCase
