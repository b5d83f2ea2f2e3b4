import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { asItIs, assumeBearer, firstText, fullName, requireId, userinfoFrom, type VendorContext } from "./vendor.js"

/**
 * The signed-in person, in the envelope of version 2 of the API.
 * @see https://docs.foursquare.com/developer/reference/v2-authentication
 */
export interface FoursquareProfile {
  meta?: { code: number; requestId?: string }
  response: {
    user: {
      id: string
      firstName?: string
      lastName?: string
      /** An address of the picture is the prefix, a size such as `original` or `100x100`, and the suffix. */
      photo?: { prefix: string; suffix: string }
      contact?: { email?: string; phone?: string; twitter?: string; facebook?: string }
      homeCity?: string
      [member: string]: unknown
    }
  }
  [member: string]: unknown
}

/** What the factory takes. */
export type FoursquareOptions = OAuthUserConfig<FoursquareProfile> & {
  /** The day up to which changes of the API are known here, as YYYYMMDD. @default "20230131" */
  apiVersion?: string | undefined
}

/** Foursquare takes the token as a parameter only. */
const inAddress = ({ tokens }: VendorContext) => ({
  headers: { authorization: "" },
  query: { oauth_token: String(tokens.access_token) },
})

/**
 * Sign-in with Foursquare.
 *
 * Environment: `AUTH_FOURSQUARE_ID`, `AUTH_FOURSQUARE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/foursquare`.
 * Console: https://foursquare.com/developers/home, OAuth Authentication
 *
 * - People sign in with version 2 of the API, which Foursquare keeps as a legacy one: a new project may not have it.
 * - Foursquare has no scopes, and does not document whether an address is proven: there is no `profile.email_verified`.
 * - The access token stands in the address of the call for the profile, as Foursquare wants it.
 *
 * @example
 * import Foursquare from "latchkey/providers/foursquare"
 * app.use(authMiddleware({ providers: [Foursquare] }))
 */
export default function Foursquare(options: FoursquareOptions = {}): OAuth2Config<FoursquareProfile> {
  const userUrl = `https://api.foursquare.com/v2/users/self?v=${options.apiVersion ?? "20230131"}`
  return {
    id: "foursquare",
    name: "Foursquare",
    type: "oauth",
    authorization: { url: "https://foursquare.com/oauth2/authenticate", params: { scope: "" } },
    token: { url: "https://foursquare.com/oauth2/access_token", conform: assumeBearer },
    userinfo: userinfoFrom("Foursquare", userUrl, asItIs<FoursquareProfile>, inAddress),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ response }) {
      const user = response?.user
      const { prefix, suffix } = user?.photo ?? {}
      return {
        id: requireId("Foursquare", user?.id),
        name: fullName(user?.firstName, user?.lastName),
        email: firstText(user?.contact?.email),
        image: prefix && suffix ? `${prefix}original${suffix}` : null,
      }
    },
    style: { brandColor: "#000" },
    options,
  }
}
