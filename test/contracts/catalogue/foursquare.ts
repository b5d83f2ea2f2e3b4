import type { ProviderCase } from "../support/catalogue.js"

/** @see https://docs.foursquare.com/developer/reference/v2-authentication */
export default {
  start: { url: "https://foursquare.com/oauth2/authenticate" },
  checks: ["pkce", "state"],
  token: {
    url: "https://foursquare.com/oauth2/access_token",
    auth: "post",
    answer: { access_token: "AN-ACCESS-TOKEN-OF-FOURSQUARE" },
  },
  api: {
    "GET https://api.foursquare.com/v2/users/self?v=20230131&oauth_token=AN-ACCESS-TOKEN-OF-FOURSQUARE": {
      sent: { authorization: "" },
      body: {
        meta: { code: 200, requestId: "59a45921351e3d43b07028b5" },
        response: {
          user: {
            id: "1183247",
            firstName: "Nelly",
            lastName: "Example",
            gender: "female",
            relationship: "self",
            photo: { prefix: "https://irs0.4sqi.net/img/user/", suffix: "/1183247-nelly.jpg" },
            homeCity: "New York, NY",
            bio: "",
            contact: { email: "nelly@example.com", verifiedPhone: "false" },
          },
        },
      },
    },
  },
  id: "response.user.id",
  user: {
    id: "1183247",
    name: "Nelly Example",
    email: "nelly@example.com",
    image: "https://irs0.4sqi.net/img/user/original/1183247-nelly.jpg",
  },
  also: [
    {
      profile: { response: { user: { id: "1", lastName: "Example", photo: { prefix: "https://irs0.4sqi.net/" } } } },
      user: { name: "Example", image: null },
    },
  ],
  differs: {
    params: "requests no scope, because the provider has none",
    client: "the client secret is documented as a parameter",
  },
} satisfies ProviderCase
