import type { ProviderCase } from "../support/catalogue.js"

/** @see https://github.com/Bungie-net/api/wiki/OAuth-Documentation */
export default {
  options: { apiKey: "the-api-key" },
  env: { AUTH_BUNGIE_KEY: "the-api-key" },
  start: { url: "https://www.bungie.net/en/OAuth/Authorize", params: { reauth: "true", scope: undefined } },
  checks: ["pkce", "state"],
  token: {
    url: "https://www.bungie.net/platform/app/oauth/token/",
    answer: {
      access_token: "CJXnAxKGAgAgKFCUBk8TmKmh1hA",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "CJXnAxKGAgAgrefresh",
      refresh_expires_in: 7776000,
      membership_id: "4352",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "AuthorizationCodeInvalid" },
    },
  },
  api: {
    "GET https://www.bungie.net/Platform/User/GetMembershipsForCurrentUser/": {
      sent: { "x-api-key": "the-api-key" },
      body: {
        Response: {
          destinyMemberships: [
            {
              LastSeenDisplayName: "Cayde",
              LastSeenDisplayNameType: 3,
              iconPath: "/img/theme/bungienet/icons/steamLogo.png",
              crossSaveOverride: 0,
              applicableMembershipTypes: [3],
              isPublic: true,
              membershipType: 3,
              membershipId: "4611686018467284386",
              displayName: "Cayde",
              bungieGlobalDisplayName: "Cayde",
              bungieGlobalDisplayNameCode: 6,
            },
          ],
          primaryMembershipId: "4611686018467284386",
          bungieNetUser: {
            membershipId: "4352",
            uniqueName: "Cayde#0006",
            displayName: "Cayde",
            profilePicture: 70403,
            profileTheme: 1,
            userTitle: 0,
            successMessageFlags: "0",
            isDeleted: false,
            about: "",
            firstAccess: "2014-09-09T15:00:00.000Z",
            lastUpdate: "2024-06-04T17:00:00.000Z",
            context: { isFollowing: false, ignoreStatus: { isIgnored: false, ignoreFlags: 0 } },
            showActivity: true,
            locale: "en",
            localeInheritDefault: true,
            showGroupMessaging: true,
            profilePicturePath: "/img/profile/avatars/default_avatar.gif",
            profileThemeName: "d2_01",
            userTitleDisplay: "Newbie",
            statusText: "",
            statusDate: "0001-01-01T00:00:00Z",
            cachedBungieGlobalDisplayName: "Cayde",
            cachedBungieGlobalDisplayNameCode: 6,
          },
        },
        ErrorCode: 1,
        ThrottleSeconds: 0,
        ErrorStatus: "Success",
        Message: "Ok",
        MessageData: {},
      },
    },
  },
  id: "Response.bungieNetUser.membershipId",
  user: {
    id: "4352",
    name: "Cayde",
    email: null,
    image: "https://www.bungie.net/img/profile/avatars/default_avatar.gif",
  },
  also: [
    {
      profile: { Response: { bungieNetUser: { membershipId: "4352", uniqueName: "Cayde#0006" } } },
      user: { name: "Cayde#0006", image: null },
    },
  ],
  differs: {
    params: "requests no scope, because scopes are set in the app at the provider",
    userinfo: "uses the documented URL; the URL in Auth.js contains a placeholder that is never replaced",
  },
} satisfies ProviderCase
