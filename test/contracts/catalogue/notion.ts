import type { ProviderCase } from "../support/catalogue.js"

const person = {
  object: "user",
  id: "5389a034-eb5c-47b5-8a9e-f79c99ef166c",
  name: "christine makenotion",
  avatar_url: "https://s3-us-west-2.amazonaws.com/public.notion-static.com/christine.jpeg",
  type: "person",
  person: { email: "christine@makenotion.com" },
}

/** @see https://developers.notion.com/docs/authorization */
export default {
  start: { url: "https://api.notion.com/v1/oauth/authorize", params: { owner: "user", scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.notion.com/v1/oauth/token",
    answer: {
      access_token: "e202e8c9-0990-40af-855f-ff8f872b1ec6",
      token_type: "bearer",
      refresh_token: "nrt_4991090011501Ejc6Xn4sHguI7jZIN449mKe9PRhpMfNK",
      bot_id: "b3414d65-1224-5ee7-6ffe-cc9d8773d601",
      workspace_icon: "https://website.domain/images/image.png",
      workspace_id: "565d4d73-2882-61bc-564a-c9d9cac36f7a",
      workspace_name: "Ada's Notion Workspace",
      owner: { type: "user", user: person },
      duplicated_template_id: null,
      request_id: "3c90c3cc-0d44-4b50-8888-8dd25736052a",
    },
    refusal: {
      status: 400,
      body: {
        object: "error",
        status: 400,
        code: "invalid_grant",
        message: "The authorization code is invalid, expired, or revoked.",
      },
    },
  },
  api: {
    "GET https://api.notion.com/v1/users/me": {
      sent: { "notion-version": "2022-06-28" },
      body: {
        object: "user",
        id: "16d84278-ab0e-484c-9bdd-b35da3bd8905",
        name: "pied piper",
        avatar_url: null,
        type: "bot",
        bot: { owner: { type: "user", user: person } },
      },
    },
  },
  id: "id",
  user: {
    id: "5389a034-eb5c-47b5-8a9e-f79c99ef166c",
    name: "christine makenotion",
    email: "christine@makenotion.com",
    image: "https://s3-us-west-2.amazonaws.com/public.notion-static.com/christine.jpeg",
  },
  differs: {
    params: "requests no scope, because the provider has none",
    userinfo: "has the URL that is requested, `/v1/users/me`; Auth.js has another URL",
  },
} satisfies ProviderCase
