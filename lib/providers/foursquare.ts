import { fullName, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { assumeBearer, identity, userinfoFrom, type VendorContext } from "../provider-kit/vendor.js"

/**
 * The signed-in user, in the response envelope of API version 2.
 * @see https://docs.foursquare.com/developer/reference/v2-authentication
 */
export interface FoursquareProfile {
  meta?: { code: number; requestId?: string }
  response: {
    user: {
      id: string
      firstName?: string
      lastName?: string
      /** The picture's address is the prefix, a size such as `original` or `100x100`, and the suffix. */
      photo?: { prefix: string; suffix: string }
      contact?: { email?: string; phone?: string; twitter?: string; facebook?: string }
      homeCity?: string
      [member: string]: unknown
    }
  }
  [member: string]: unknown
}

/** Options of the factory. */
export type FoursquareOptions = OAuthUserConfig<FoursquareProfile> & {
  /** The API version date, as YYYYMMDD. @default "20230131" */
  apiVersion?: string | undefined
}

/** Foursquare accepts the token only as a query parameter. */
const tokenInQuery = ({ tokens }: VendorContext) => ({
  headers: { authorization: "" },
  query: { oauth_token: String(tokens.access_token) },
})

/**
 * Sign-in with Foursquare.
 * Console: https://foursquare.com/developers/home, OAuth Authentication
 * - This provider uses version 2 of the API, which is legacy and may be unavailable to new projects.
 * - There are no scopes. Foursquare does not document whether email addresses are verified.
 * - The profile request sends the access token in the URL, because Foursquare requires it.
 */
export default function Foursquare(options: FoursquareOptions = {}): OAuth2Config<FoursquareProfile> {
  const userUrl = `https://api.foursquare.com/v2/users/self?v=${options.apiVersion ?? "20230131"}`
  return oauthProvider<FoursquareProfile>("foursquare", "Foursquare", {
    authorization: { url: "https://foursquare.com/oauth2/authenticate", params: { scope: "" } },
    token: { url: "https://foursquare.com/oauth2/access_token", conform: assumeBearer },
    userinfo: userinfoFrom("Foursquare", userUrl, identity<FoursquareProfile>, tokenInQuery),
    client: { token_endpoint_auth_method: "client_secret_post" },
    user({ response }) {
      const user = response?.user
      const { prefix, suffix } = user?.photo ?? {}
      return {
        id: user?.id,
        name: fullName(user?.firstName, user?.lastName),
        email: user?.contact?.email,
        image: prefix && suffix ? `${prefix}original${suffix}` : null,
      }
    },
    brandColor: "#000",
  })(options)
}
