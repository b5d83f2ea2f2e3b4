import type { ProviderCase } from "../support/catalogue.js"

const USER_URL = "https://api.bitbucket.org/2.0/users/%7Ba288a0ab-e13b-43f0-a689-c4ef0a249875%7D"

/** @see https://developer.atlassian.com/cloud/bitbucket/oauth-2/ */
export default {
  start: { url: "https://bitbucket.org/site/oauth2/authorize", params: { scope: "account" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://bitbucket.org/site/oauth2/access_token",
    answer: {
      access_token: "mMCvHTCLbuUj-JuO4zAM9SSKWkjQmZJnD9Vdfq8=",
      scopes: "account",
      token_type: "bearer",
      expires_in: 7200,
      state: "authorization_code",
      refresh_token: "mMCvHTCLbuUj",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "The specified code is not valid." },
    },
  },
  api: {
    "GET https://api.bitbucket.org/2.0/user": {
      body: {
        type: "user",
        uuid: "{a288a0ab-e13b-43f0-a689-c4ef0a249875}",
        account_id: "557058:c0b72ad0-1cb5-4018-9cdc-0cde8492c443",
        account_status: "active",
        display_name: "Erik van Zijst",
        nickname: "evzijst",
        username: "evzijst",
        created_on: "2008-07-01T22:34:50+00:00",
        links: {
          self: { href: USER_URL },
          avatar: { href: "https://secure.gravatar.com/avatar/f6bcbb4e3f665e74455bd8c0b4b3afba" },
          html: { href: "https://bitbucket.org/%7Ba288a0ab-e13b-43f0-a689-c4ef0a249875%7D/" },
          repositories: {
            href: "https://api.bitbucket.org/2.0/repositories/%7Ba288a0ab-e13b-43f0-a689-c4ef0a249875%7D",
          },
          snippets: { href: "https://api.bitbucket.org/2.0/snippets/%7Ba288a0ab-e13b-43f0-a689-c4ef0a249875%7D" },
          hooks: { href: `${USER_URL}/hooks` },
        },
        has_2fa_enabled: null,
        is_staff: false,
        location: null,
      },
    },
  },
  id: "account_id",
  user: {
    id: "557058:c0b72ad0-1cb5-4018-9cdc-0cde8492c443",
    name: "Erik van Zijst",
    email: null,
    image: "https://secure.gravatar.com/avatar/f6bcbb4e3f665e74455bd8c0b4b3afba",
  },
  also: [
    { profile: { account_id: "1", username: "erik", nickname: "evzijst" }, user: { name: "erik" } },
    { profile: { account_id: "1", nickname: "evzijst" }, user: { name: "evzijst" } },
  ],
} satisfies ProviderCase
