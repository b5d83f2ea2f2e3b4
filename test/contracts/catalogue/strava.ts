import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.strava.com/docs/authentication/ */
export default {
  start: {
    url: "https://www.strava.com/oauth/authorize",
    params: { scope: "read", approval_prompt: "auto" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://www.strava.com/api/v3/oauth/token",
    auth: "post",
    answer: {
      token_type: "Bearer",
      expires_at: 1568775134,
      expires_in: 21600,
      refresh_token: "e5n567567e5n567567",
      access_token: "a4b945687g945687g",
      athlete: { id: 1234567890987654400, resource_state: 2, firstname: "Marianne", lastname: "Teutenberg" },
    },
    refusal: {
      status: 400,
      body: {
        message: "Bad Request",
        errors: [{ resource: "AuthorizationCode", field: "code", code: "invalid" }],
      },
    },
  },
  api: {
    "GET https://www.strava.com/api/v3/athlete": {
      body: {
        id: 134815,
        username: "marianne_t",
        resource_state: 3,
        firstname: "Marianne",
        lastname: "Teutenberg",
        city: "San Francisco",
        state: "CA",
        country: "US",
        sex: "F",
        premium: true,
        summit: true,
        created_at: "2017-11-14T02:30:05Z",
        updated_at: "2018-02-06T19:32:20Z",
        badge_type_id: 4,
        profile_medium: "https://xxxxxx.cloudfront.net/pictures/athletes/123456789/123456789/2/medium.jpg",
        profile: "https://xxxxx.cloudfront.net/pictures/athletes/123456789/123456789/2/large.jpg",
        friend: null,
        follower: null,
      },
    },
  },
  id: "id",
  user: {
    id: "134815",
    name: "Marianne Teutenberg",
    email: null,
    image: "https://xxxxx.cloudfront.net/pictures/athletes/123456789/123456789/2/large.jpg",
  },
  also: [
    // The profile of a user without a picture.
    {
      profile: { id: 1, lastname: "Teutenberg", profile: "avatar/athlete/large.png" },
      user: { name: "Teutenberg", image: null },
    },
  ],
  differs: {
    authorizationUrl: "the documented URL",
    params: "does not set `response_type`, which every request contains",
  },
} satisfies ProviderCase
