import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { asBearer, conformBy, firstText, refusal, requireId } from "./vendor.js"

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
  // biome-ignore lint/suspicious/noExplicitAny: further members come with further fields
  [member: string]: any
}

const FIELDS = "id,username,name,threads_profile_picture_url,threads_biography"

/** The token answer has no type. A refusal is told in one of two manners of Meta, neither of them that of OAuth. */
const conform = conformBy((answer) => {
  const { error, error_type, error_message } = answer
  const { type = error_type, message = error_message } = Object(error)
  return asBearer(answer) ?? refusal(type, message)
})

/**
 * Sign-in with Threads.
 *
 * Environment: `AUTH_THREADS_ID`, `AUTH_THREADS_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/threads`.
 * Console: https://developers.facebook.com/apps, Access the Threads API
 *
 * - There is no e-mail address.
 * - The id and the secret are those of the Threads app, not of the Meta app around it.
 * - Redirect URIs are of https only, on a machine of one's own too.
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
