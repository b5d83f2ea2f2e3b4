import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { Loose, OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { identity, ownVariable, userinfoFrom, variableName } from "../provider-kit/vendor.js"

/** @see https://bungie-net.github.io/multi/operation_get_User-GetMembershipsForCurrentUser.html */
export interface BungieProfile extends OtherMembers {
  Response: {
    bungieNetUser: {
      /** A 64-bit number as a string. */
      membershipId: string
      uniqueName: string
      displayName: string
      /** The path of the picture on www.bungie.net. */
      profilePicturePath: string
      [member: string]: Loose
    }
    destinyMemberships?: { membershipType: number; membershipId: string; displayName: string }[]
    primaryMembershipId?: string
  }
  /** 1 on success. */
  ErrorCode: number
  ErrorStatus: string
  Message: string
}

/** Options of the factory. */
export type BungieOptions<P> = OAuthUserConfig<P> & {
  /** The application's API key, required by every API call. @default process.env.AUTH_BUNGIE_KEY */
  apiKey?: string | undefined
}

const SITE = "https://www.bungie.net"
const USER_URL = `${SITE}/Platform/User/GetMembershipsForCurrentUser/`

function createApiKeyRequest(options: Pick<BungieOptions<BungieProfile>, "id" | "apiKey">) {
  const apiKey = options.apiKey || ownVariable("bungie", "KEY", options)
  if (apiKey) return { headers: { "x-api-key": apiKey } }
  throw new Error(
    `Bungie: the API key is missing. Set ${variableName("bungie", "KEY", options)}, or write { apiKey: … }`,
  )
}

/**
 * Sign-in with Bungie.net, the accounts of Destiny.
 * Environment: also `AUTH_BUNGIE_KEY`, the API key.
 * Console: https://www.bungie.net/en/Application, a confidential OAuth client
 * - latchkey sends no scope, so all scopes of the application apply.
 * - The redirect URI must be https, also in development.
 * - The user has no email address.
 */
export default function Bungie<P extends BungieProfile = BungieProfile>(
  options: BungieOptions<P> = {},
): OAuth2Config<P> {
  return oauthProvider<P>("bungie", "Bungie", {
    authorization: { url: `${SITE}/en/OAuth/Authorize`, params: { reauth: "true", scope: "" } },
    token: `${SITE}/platform/app/oauth/token/`,
    userinfo: userinfoFrom("Bungie", USER_URL, identity<P>, () => createApiKeyRequest(options)),
    user({ Response: response }) {
      const { membershipId, displayName, uniqueName, profilePicturePath } = { ...response?.bungieNetUser }
      const picture = firstText(profilePicturePath)
      return {
        id: membershipId,
        name: firstText(displayName, uniqueName),
        image: picture && new URL(picture, SITE).href,
      }
    },
  })(options)
}
