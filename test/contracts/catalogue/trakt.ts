import type { ProviderCase } from "../support/catalogue.js"

/** @see https://trakt.docs.apiary.io/#reference/authentication-oauth */
export default {
  start: { url: "https://trakt.tv/oauth/authorize" },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.trakt.tv/oauth/token",
    auth: "own",
    form: { client_id: "the-client", client_secret: "the-client-secret-of-forty-letters-at-least" },
    sent: { "content-type": "application/json" },
    answer: {
      access_token: "dbaf9757982a9e738f05d249b7b5b4a266b3a139049317c4909f2f263572c781",
      token_type: "bearer",
      expires_in: 7200,
      refresh_token: "76ba4c5c75c96f6087f58a4de10be6c00b29ea1ddc3b2022ee2016d1363e3a7c",
      scope: "public",
      created_at: 1487889741,
    },
    refusal: {
      status: 401,
      body: {
        error: "invalid_grant",
        error_description: "The provided authorization grant is invalid, expired or revoked.",
      },
    },
  },
  api: {
    "GET https://api.trakt.tv/users/me?extended=full": {
      sent: { "trakt-api-version": "2", "trakt-api-key": "the-client", "user-agent": "latchkey" },
      body: {
        username: "justin",
        private: false,
        name: "Justin Nemeth",
        vip: true,
        vip_ep: false,
        ids: { slug: "justin" },
        joined_at: "2010-09-25T17:49:25.000Z",
        location: "San Diego, CA",
        about: "Co-founder of trakt.",
        gender: "male",
        age: 32,
        images: { avatar: { full: "https://secure.gravatar.com/avatar/30c2f0dfbc39e48656f40498aa871e33?r=pg&s=256" } },
      },
    },
  },
  id: "ids.slug",
  user: {
    id: "justin",
    name: "Justin Nemeth",
    email: null,
    image: "https://secure.gravatar.com/avatar/30c2f0dfbc39e48656f40498aa871e33?r=pg&s=256",
  },
  also: [
    { profile: { ids: { slug: "justin" }, name: null, username: "Justin" }, user: { name: "Justin", image: null } },
  ],
} satisfies ProviderCase
