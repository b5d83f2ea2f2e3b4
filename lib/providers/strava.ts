import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, refusal, repairTokenResponse, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in athlete of Strava.
 * @see https://developers.strava.com/docs/reference/#api-models-DetailedAthlete
 */
export interface StravaProfile {
  id: number
  username?: string | null
  /** The level of detail: 1 "meta", 2 "summary", 3 "detail". */
  resource_state: 1 | 2 | 3
  firstname: string
  lastname: string
  /** The picture's address, 124 pixels square. An unusable path if the user has none. */
  profile: string
  /** The same, 62 pixels square. */
  profile_medium: string
  city: string | null
  state: string | null
  country: string | null
  sex: "M" | "F" | null
  /** @deprecated Use `summit`. */
  premium: boolean
  summit: boolean
  created_at: string
  updated_at: string
  /** This and the following members require the scope `profile:read_all`. */
  follower_count?: number
  friend_count?: number
  measurement_preference?: "feet" | "meters"
  ftp?: number | null
  weight?: number
  // biome-ignore lint/suspicious/noExplicitAny: Strava returns more than it documents, as in Auth.js
  [member: string]: any
}

/**
 * Strava's errors consist of a message and a list of details.
 * @see https://developers.strava.com/docs/reference/#api-models-Fault
 */
const conform = repairTokenResponse(({ message, errors }) => {
  if (typeof message !== "string") return undefined
  const details = Array.isArray(errors) ? errors.map((found) => Object.values(Object(found)).join(" ")) : []
  return refusal("invalid_request", [message, ...details].join("; "))
})

/**
 * Sign-in with Strava.
 *
 * Environment: `AUTH_STRAVA_ID`, `AUTH_STRAVA_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/strava`.
 * Console: https://www.strava.com/settings/api, where the Authorization Callback Domain is `example.com`
 *
 * - No email address.
 * - Scopes are separated by commas: `Strava({ authorization: { params: { scope: "read,activity:read" } } })`. The user
 *   can decline each scope.
 *
 * @example
 * import Strava from "latchkey/providers/strava"
 * app.use(authMiddleware({ providers: [Strava] }))
 */
export default function Strava<P extends StravaProfile = StravaProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "strava",
    name: "Strava",
    type: "oauth",
    authorization: {
      url: "https://www.strava.com/oauth/authorize",
      params: { scope: "read", approval_prompt: "auto" },
    },
    token: { url: "https://www.strava.com/api/v3/oauth/token", conform },
    userinfo: "https://www.strava.com/api/v3/athlete",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, firstname, lastname, profile }) {
      const picture = firstText(profile)
      return {
        id: requireId("Strava", id),
        name: fullName(firstname, lastname),
        email: null,
        image: picture?.startsWith("https://") ? picture : null,
      }
    },
    options,
  }
}
