import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, identity, ownVariable, requireId, userinfoFrom, variableName } from "../provider-kit/vendor.js"

/**
 * The signed-in player and the linked accounts.
 * @see https://bungie-net.github.io/multi/operation_get_User-GetMembershipsForCurrentUser.html
 */
export interface BungieProfile {
  Response: {
    bungieNetUser: {
      /** A 64-bit number as a string. */
      membershipId: string
      uniqueName: string
      displayName: string
      /** The path of the picture on www.bungie.net. */
      profilePicturePath: string
      // biome-ignore lint/suspicious/noExplicitAny: names on the platforms and more, as in Auth.js
      [member: string]: any
    }
    destinyMemberships?: { membershipType: number; membershipId: string; displayName: string }[]
    primaryMembershipId?: string
  }
  /** 1 on success. */
  ErrorCode: number
  ErrorStatus: string
  Message: string
  // biome-ignore lint/suspicious/noExplicitAny: Bungie adds members over time, as in Auth.js
  [member: string]: any
}

/** Options of the factory. */
export type BungieOptions<P> = OAuthUserConfig<P> & {
  /** The application's API key, required by every API call. @default process.env.AUTH_BUNGIE_KEY */
  apiKey?: string | undefined
}

const SITE = "https://www.bungie.net"
const USER_URL = `${SITE}/Platform/User/GetMembershipsForCurrentUser/`

function withKey(options: Pick<BungieOptions<BungieProfile>, "id" | "apiKey">) {
  const apiKey = options.apiKey || ownVariable("bungie", "KEY", options)
  if (apiKey) return { headers: { "x-api-key": apiKey } }
  throw new Error(
    `Bungie: the API key is missing. Set ${variableName("bungie", "KEY", options)}, or write { apiKey: … }`,
  )
}

/**
 * Sign-in with Bungie.net, the accounts of Destiny.
 *
 * Environment: `AUTH_BUNGIE_ID`, `AUTH_BUNGIE_SECRET`, and the API key as `AUTH_BUNGIE_KEY`.
 * Redirect URI: `https://example.com/auth/callback/bungie`.
 * Console: https://www.bungie.net/en/Application, a confidential OAuth client
 *
 * - No scope is sent; the application's scopes apply.
 * - The redirect URI must be https, also in development.
 * - No email address.
 *
 * @example
 * import Bungie from "latchkey/providers/bungie"
 * app.use(authMiddleware({ providers: [Bungie] }))
 */
export default function Bungie<P extends BungieProfile = BungieProfile>(
  options: BungieOptions<P> = {},
): OAuth2Config<P> {
  return {
    id: "bungie",
    name: "Bungie",
    type: "oauth",
    authorization: { url: `${SITE}/en/OAuth/Authorize`, params: { reauth: "true", scope: "" } },
    token: `${SITE}/platform/app/oauth/token/`,
    userinfo: userinfoFrom("Bungie", USER_URL, identity<P>, () => withKey(options)),
    profile({ Response: answer }) {
      const { membershipId, displayName, uniqueName, profilePicturePath } = { ...answer?.bungieNetUser }
      const picture = firstText(profilePicturePath)
      return {
        id: requireId("Bungie", membershipId),
        name: firstText(displayName, uniqueName),
        email: null,
        image: picture && new URL(picture, SITE).href,
      }
    },
    options,
  }
}
