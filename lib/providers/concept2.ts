import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of the Concept2 Logbook.
 * @see https://log.concept2.com/developers/documentation/
 */
export interface Concept2Profile {
  data: {
    id: number
    username: string
    first_name: string
    last_name: string
    gender: string
    dob: string
    email: string
    country: string
    profile_image: string | null
    age_restricted: boolean
    email_permission: boolean | null
    max_heart_rate: number | null
    /** In decagrams. */
    weight: number | null
    logbook_privacy: string | null
    // biome-ignore lint/suspicious/noExplicitAny: Concept2 adds members over time, as in Auth.js
    [member: string]: any
  }
  // biome-ignore lint/suspicious/noExplicitAny: the same
  [member: string]: any
}

/**
 * Sign-in with the Concept2 Logbook.
 *
 * Environment: `AUTH_CONCEPT2_ID`, `AUTH_CONCEPT2_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/concept2`.
 * Console: https://log.concept2.com/developers/keys
 *
 * - The default scope includes writing results, as in Auth.js. For sign-in alone, set `authorization: { params: {
 *   scope: "user:read" } }`.
 * - New applications start on the development server `https://log-dev.concept2.com`. Set its addresses as
 *   `authorization.url`, `token` and `userinfo`.
 * - Email verification is not documented.
 *
 * @example
 * import Concept2 from "latchkey/providers/concept2"
 * app.use(authMiddleware({ providers: [Concept2] }))
 */
export default function Concept2<P extends Concept2Profile = Concept2Profile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "concept2",
    name: "Concept2",
    type: "oauth",
    authorization: {
      url: "https://log.concept2.com/oauth/authorize",
      params: { scope: "user:read,results:write" },
    },
    token: "https://log.concept2.com/oauth/access_token",
    userinfo: "https://log.concept2.com/api/users/me",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ data }) {
      return {
        id: requireId("Concept2", data?.id),
        name: firstText(data?.username, fullName(data?.first_name, data?.last_name)),
        email: firstText(data?.email),
        image: firstText(data?.profile_image),
      }
    },
    options,
  }
}
