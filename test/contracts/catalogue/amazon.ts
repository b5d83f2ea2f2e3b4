import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developer.amazon.com/docs/login-with-amazon/authorization-code-grant.html */
export default {
  start: { url: "https://www.amazon.com/ap/oa", params: { scope: "profile" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.amazon.com/auth/o2/token",
    auth: "post",
    answer: {
      access_token: "Atza|IQEBLjAsAhRmHjNgHpi0U-Dme37rR6CuUpSR",
      token_type: "bearer",
      expires_in: 3600,
      refresh_token: "Atzr|IQEBLzAtAhRPpMJxdwVz2Nn6f2y-tpJX2DeX",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "The request has an invalid grant parameter : code" },
    },
  },
  api: {
    "GET https://api.amazon.com/user/profile": {
      body: { email: "johndoe@gmail.com", name: "John Doe", user_id: "amzn1.account.K2LI23KL2LK2" },
    },
  },
  id: "user_id",
  user: { id: "amzn1.account.K2LI23KL2LK2", name: "John Doe", email: "johndoe@gmail.com", image: null },
} satisfies ProviderCase
