import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, refusal, repairTokenResponse, requireId, withBearerType } from "../provider-kit/vendor.js"

/**
 * The signed-in profile of Threads.
 * @see https://developers.facebook.com/docs/threads/threads-profiles
 */
export interface ThreadsProfile {
  id: string
  username?: string
  name?: string
  threads_profile_picture_url?: string
  threads_biography?: string
  // biome-ignore lint/suspicious/noExplicitAny: additional fields add members
  [member: string]: any
}

const FIELDS = "id,username,name,threads_profile_picture_url,threads_biography"

/** Token responses have no token_type. Errors have one of two Meta formats. */
const conform = repairTokenResponse((answer) => {
  const { error, error_type, error_message } = answer
  const { type = error_type, message = error_message } = Object(error)
  return withBearerType(answer) ?? refusal(type, message)
})

/**
 * Sign-in with Threads.
 *
 * Environment: `AUTH_THREADS_ID`, `AUTH_THREADS_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/threads`.
 * Console: https://developers.facebook.com/apps, Access the Threads API
 *
 * - No email address.
 * - Use the id and the secret of the Threads app, not of the Meta app that contains it.
 * - The redirect URI must be https, also in development.
 * - Until Meta has reviewed the app, only its testers can sign in.
 *
 * @example
 * import Threads from "latchkey/providers/threads"
 * app.use(authMiddleware({ providers: [Threads] }))
 */
export default function Threads<P extends ThreadsProfile = ThreadsProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "threads",
    name: "Threads",
    type: "oauth",
    checks: ["state"],
    authorization: { url: "https://threads.net/oauth/authorize", params: { scope: "threads_basic" } },
    token: { url: "https://graph.threads.net/oauth/access_token", conform },
    userinfo: { url: "https://graph.threads.net/v1.0/me", params: { fields: FIELDS } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, name, username, threads_profile_picture_url }) {
      return {
        id: requireId("Threads", id),
        name: firstText(username, name),
        email: null,
        image: firstText(threads_profile_picture_url),
      }
    },
    style: { brandColor: "#000" },
    options,
  }
}
