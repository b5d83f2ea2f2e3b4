import type { ProviderCase } from "../support/catalogue.js"

/** @see https://log.concept2.com/developers/documentation/ */
export default {
  start: {
    url: "https://log.concept2.com/oauth/authorize",
    params: { scope: "user:read,results:write" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://log.concept2.com/oauth/access_token",
    auth: "post",
    answer: {
      access_token: "V3AEqoHwOVf1HsR5WJ4RmVQXl9UZgWj0cBTWo5kS",
      token_type: "Bearer",
      expires_in: 604800,
      refresh_token: "jHVdAg2tDcKJVmUVHDJSxuXH5t0fnh7VQCVFIFW6",
    },
  },
  api: {
    "GET https://log.concept2.com/api/users/me": {
      body: {
        data: {
          id: 1,
          username: "davidh",
          first_name: "David",
          last_name: "Hart",
          gender: "M",
          dob: "1977-08-19",
          email: "davidh@concept2.com",
          country: "GBR",
          profile_image: "https://media.concept2.com/assets/uploads/profiles/1/profile.jpg",
          age_restricted: false,
          email_permission: true,
          max_heart_rate: null,
          weight: 7500,
          logbook_privacy: "partners",
        },
      },
    },
  },
  id: "data.id",
  user: {
    id: "1",
    name: "davidh",
    email: "davidh@concept2.com",
    image: "https://media.concept2.com/assets/uploads/profiles/1/profile.jpg",
  },
  also: [{ profile: { data: { id: 1, first_name: "David", last_name: "Hart" } }, user: { name: "David Hart" } }],
  differs: { client: "the secret is sent in the request body" },
} satisfies ProviderCase
