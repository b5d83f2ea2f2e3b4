import { firstText, fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse } from "../provider-kit/vendor.js"

/** The signed-in athlete of Strava: https://developers.strava.com/docs/reference/#api-models-DetailedAthlete */
export interface StravaProfile extends OtherMembers {
  id: number
  username?: string | null
  /** The level of detail: 1 "meta", 2 "summary", 3 "detail". */
  resource_state: 1 | 2 | 3
  firstname: string
  lastname: string
  /** The URL of the picture, 124 pixels square. A path that is not a URL if the user has no picture. */
  profile: string
  /** The same picture, 62 pixels square. */
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
}

/**
 * Converts Strava's errors, which consist of a message and a list of details, to those of RFC 6749 §5.2.
 * @see https://developers.strava.com/docs/reference/#api-models-Fault
 */
const conform = repairTokenResponse(({ message, errors }) => {
  if (typeof message !== "string") return undefined
  const faults: object[] = Array.isArray(errors) ? errors.map(Object) : []
  const isRefreshTokenInvalid = faults.some((error) => Reflect.get(error, "resource") === "RefreshToken")
  const details = faults.map((error) => Object.values(error).join(" "))
  return refusal(isRefreshTokenInvalid ? "invalid_grant" : "invalid_request", [message, ...details].join("; "))
})

/**
 * Sign-in with Strava.
 * Console: https://www.strava.com/settings/api, with your domain (`example.com`) as the Authorization Callback Domain
 * - The user has no email address.
 * - Scopes are separated by commas: `Strava({ authorization: { params: { scope: "read,activity:read" } } })`. The user
 *   can decline each scope.
 */
const Strava = oauthProvider<StravaProfile>("strava", "Strava", {
  authorization: {
    url: "https://www.strava.com/oauth/authorize",
    params: { scope: "read", approval_prompt: "auto" },
  },
  scopeSeparator: ",",
  token: { url: "https://www.strava.com/api/v3/oauth/token", conform },
  userinfo: "https://www.strava.com/api/v3/athlete",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user({ id, firstname, lastname, profile }) {
    const picture = firstText(profile)
    return { id, name: fullName(firstname, lastname), image: picture?.startsWith("https://") ? picture : null }
  },
  apiOrigins: ["https://www.strava.com"],
})

export default Strava
