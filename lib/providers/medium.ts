import { oauthProvider } from "../provider-kit/define.js"
import { repairTokenResponse } from "../provider-kit/vendor.js"

/** @see https://github.com/Medium/medium-api-docs/blob/master/api.md#31-users */
export interface MediumProfile {
  data: { id: string; username: string; name: string; url: string; imageUrl: string }
  [member: string]: unknown
}

/**
 * The largest `expires_at` that is treated as seconds. A larger value is in milliseconds, which Medium uses in other
 * places, and is converted.
 */
const LATEST_SECONDS = 1e11

const toSeconds = (time: unknown): unknown =>
  typeof time === "number" && time > LATEST_SECONDS ? Math.floor(time / 1000) : time

/** Medium responds with 201 and a list of scopes. RFC 6749 §5.1 requires 200 and a string. */
const conform = repairTokenResponse(({ access_token, scope, expires_at, ...body }) =>
  access_token === undefined
    ? undefined
    : {
        ...body,
        access_token,
        scope: Array.isArray(scope) ? scope.join(" ") : scope,
        expires_at: toSeconds(expires_at),
      },
)

/**
 * Sign-in with Medium.
 * Console: https://medium.com/me/applications
 * - Medium has accepted no new applications since January 2025. This provider is for existing applications.
 * - The user has no email address.
 */
const Medium = oauthProvider<MediumProfile>("medium", "Medium", {
  authorization: { url: "https://medium.com/m/oauth/authorize", params: { scope: "basicProfile" } },
  token: { url: "https://api.medium.com/v1/tokens", conform },
  userinfo: "https://api.medium.com/v1/me",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ data: user }) => ({ id: user?.id, name: user?.name, image: user?.imageUrl }),
})

export default Medium
