import type { ProviderCase } from "../support/catalogue.js"

/** @see https://linear.app/developers/oauth-2-0-authentication */
export default {
  start: { url: "https://linear.app/oauth/authorize", params: { scope: "read" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.linear.app/oauth/token",
    auth: "post",
    answer: {
      access_token: "00a21d8b0c4e2375114e49c067dfb81eb0d2076f48354714cd5df984d87b67cc",
      token_type: "Bearer",
      expires_in: 86399,
      scope: "read",
      refresh_token: "sz0b4j2k8m",
    },
  },
  api: {
    "POST https://api.linear.app/graphql": {
      sent: { "content-type": "application/json" },
      sentBody: '{"query":"{ viewer { id name displayName email avatarUrl organization { id name urlKey } } }"}',
      body: {
        data: {
          viewer: {
            id: "a3c2f1d0-5b6e-4f7a-8c9d-0e1f2a3b4c5d",
            name: "Jane Doe",
            displayName: "jane",
            email: "jane@example.com",
            avatarUrl: "https://public.linear.app/jane.png",
            organization: { id: "0b9f8e7d-6c5b-4a39-8281-7060504f3e2d", name: "Example", urlKey: "example" },
          },
        },
      },
    },
  },
  id: "id",
  user: {
    id: "a3c2f1d0-5b6e-4f7a-8c9d-0e1f2a3b4c5d",
    name: "Jane Doe",
    email: "jane@example.com",
    image: "https://public.linear.app/jane.png",
  },
  also: [{ profile: { id: "1", name: "", displayName: "jane" }, user: { name: "jane" } }],
} satisfies ProviderCase
