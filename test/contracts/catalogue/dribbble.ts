import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.dribbble.com/v2/oauth/ */
export default {
  start: { url: "https://dribbble.com/oauth/authorize", params: { scope: "public" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://dribbble.com/oauth/token",
    auth: "post",
    answer: {
      access_token: "29ed478ab86c07f1c069b1af76088f7431396b7c4a2523d06911345da82224a0",
      token_type: "bearer",
      scope: "public",
    },
  },
  api: {
    "GET https://api.dribbble.com/v2/user": {
      body: {
        id: 1,
        name: "Dan Cederholm",
        login: "simplebits",
        html_url: "https://dribbble.com/simplebits",
        avatar_url: "https://d13yacurqjgara.cloudfront.net/users/1/avatars/normal/dc.jpg?1371679243",
        bio: 'Co-founder of <a href="https://dribbble.com/dribbble">@Dribbble</a>.',
        location: "Salem, MA",
        links: { web: "http://simplebits.com", twitter: "https://twitter.com/simplebits" },
        can_upload_shot: true,
        pro: true,
        followers_count: 29262,
        created_at: "2009-07-08T02:51:22Z",
        type: "User",
        teams: [
          {
            id: 39,
            name: "Dribbble",
            login: "dribbble",
            html_url: "https://dribbble.com/dribbble",
            avatar_url: "https://d13yacurqjgara.cloudfront.net/users/39/avatars/normal/apple-flat-precomposed.png",
            bio: "Show and tell for designers.",
            location: "Salem, MA",
            links: { web: "http://dribbble.com", twitter: "https://twitter.com/dribbble" },
            type: "Team",
            created_at: "2009-08-18T18:34:31Z",
            updated_at: "2014-02-14T22:32:11Z",
          },
        ],
      },
    },
  },
  id: "id",
  user: {
    id: "1",
    name: "Dan Cederholm",
    email: null,
    image: "https://d13yacurqjgara.cloudfront.net/users/1/avatars/normal/dc.jpg?1371679243",
  },
  also: [
    {
      profile: { id: 1, login: "simplebits", email: "dan@example.com" },
      user: { name: "simplebits", email: "dan@example.com" },
    },
  ],
  variants: [{ options: { scope: "public upload" }, start: { params: { scope: "public upload" } } }],
  differs: {
    params: "omits the OpenID Connect scopes, which the provider does not support",
    client: "the secret is sent in the request body",
  },
} satisfies ProviderCase
