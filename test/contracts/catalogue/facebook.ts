import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow */
export default {
  start: { url: "https://www.facebook.com/v25.0/dialog/oauth", params: { scope: "email" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://graph.facebook.com/oauth/access_token",
    auth: "post",
    answer: { access_token: "EAACEdEose0cBAExample", token_type: "bearer", expires_in: 5183944 },
    refusal: {
      status: 400,
      body: {
        error: {
          message: "This authorization code has been used.",
          type: "OAuthException",
          code: 100,
          error_subcode: 36009,
          fbtrace_id: "EJplcsCHuLu",
        },
      },
    },
  },
  api: {
    "GET https://graph.facebook.com/me?fields=id%2Cname%2Cemail%2Cpicture": {
      body: {
        id: "10158340980000001",
        name: "Open Graph Test User",
        email: "open_uqzimqn_user@tfbnw.net",
        picture: {
          data: {
            height: 50,
            is_silhouette: false,
            url: "https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=10158340980000001&height=50&width=50",
            width: 50,
          },
        },
      },
    },
  },
  id: "id",
  user: {
    id: "10158340980000001",
    name: "Open Graph Test User",
    email: "open_uqzimqn_user@tfbnw.net",
    image: "https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=10158340980000001&height=50&width=50",
  },
  differs: {
    authorizationUrl: "v19.0 of the Graph API ended in May 2026",
    client: "the client secret is documented as a parameter",
  },
} satisfies ProviderCase
