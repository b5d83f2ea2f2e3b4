import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/reference */
export default {
  start: {
    url: "https://login.coinbase.com/oauth2/auth",
    params: { scope: "wallet:user:email wallet:user:read" },
  },
  checks: ["pkce", "state"],
  token: {
    url: "https://login.coinbase.com/oauth2/token",
    auth: "post",
    answer: {
      access_token: "6915ab99857fec1e6f2f6c078583756d0c09d7207750baea28dfbc3d4b0f2cb80",
      token_type: "bearer",
      expires_in: 7200,
      refresh_token: "73a3431906de603504c1e8437709b0f47d07bed11981fe61b522278a81a9232b7",
      scope: "wallet:user:email wallet:user:read",
    },
    refusal: {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description:
          "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
      },
    },
  },
  api: {
    "GET https://api.coinbase.com/v2/user": {
      body: {
        data: {
          id: "9da7a204-544e-5fd1-9a12-61176c5d4cd8",
          name: "User One",
          username: "user1",
          email: "user1@example.com",
          profile_location: null,
          profile_bio: null,
          profile_url: "https://coinbase.com/user1",
          avatar_url: "https://images.coinbase.com/avatar?h=vR%2FY8igBoPwuwGren5JMwvDNGpURAY%2F0nRIOgH%2FY2Qh",
          resource: "user",
          resource_path: "/v2/user",
          time_zone: "Pacific Time (US & Canada)",
          native_currency: "USD",
          bitcoin_unit: "bits",
          country: { code: "US", name: "United States" },
          created_at: "2015-01-31T20:49:02Z",
        },
      },
    },
  },
  id: "data.id",
  user: {
    id: "9da7a204-544e-5fd1-9a12-61176c5d4cd8",
    name: "User One",
    email: "user1@example.com",
    image: "https://images.coinbase.com/avatar?h=vR%2FY8igBoPwuwGren5JMwvDNGpURAY%2F0nRIOgH%2FY2Qh",
  },
  also: [{ profile: { data: { id: "1", name: null, username: "user1" } }, user: { name: "user1" } }],
  differs: { client: "the secret is sent in the request body" },
} satisfies ProviderCase
