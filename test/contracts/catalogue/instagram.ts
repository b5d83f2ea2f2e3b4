import type { ProviderCase } from "../support/catalogue.js"

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login */
export default {
  start: { url: "https://www.instagram.com/oauth/authorize", params: { scope: "instagram_business_basic" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://api.instagram.com/oauth/access_token",
    auth: "post",
    answer: {
      data: [{ access_token: "EAACEdEose0cBAExample", user_id: "1020", permissions: "instagram_business_basic" }],
    },
    refusal: {
      status: 400,
      body: {
        error_type: "OAuthException",
        code: 400,
        error_message: "Matching code was not found or was already used",
      },
    },
  },
  api: {
    "GET https://graph.instagram.com/me?fields=id%2Cuser_id%2Cusername%2Cname%2Caccount_type%2Cprofile_picture_url": {
      sent: { authorization: "Bearer EAACEdEose0cBAExample" },
      body: {
        data: [
          {
            id: "9876543210123456",
            user_id: "17841400008460056",
            username: "jayposiris",
            name: "Jay Posiris",
            account_type: "Business",
            profile_picture_url: "https://scontent.cdninstagram.com/v/t51.2885-15/picture.jpg",
          },
        ],
      },
    },
  },
  id: "id",
  user: {
    id: "9876543210123456",
    name: "jayposiris",
    email: null,
    image: "https://scontent.cdninstagram.com/v/t51.2885-15/picture.jpg",
  },
  also: [{ profile: { id: "1", name: "Jay Posiris" }, user: { name: "Jay Posiris" } }],
  differs: {
    authorizationUrl: "the Basic Display API closed in December 2024",
    params: "requests the scope of the current API; the Basic Display API of Auth.js closed in December 2024",
    user: "contains the picture that the current API returns",
  },
} satisfies ProviderCase
