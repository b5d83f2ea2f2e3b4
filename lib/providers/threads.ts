import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse, withBearerType } from "../provider-kit/vendor.js"

/** The signed-in profile of Threads: https://developers.facebook.com/docs/threads/threads-profiles */
export interface ThreadsProfile extends OtherMembers {
  id: string
  username?: string
  name?: string
  threads_profile_picture_url?: string
  threads_biography?: string
}

const FIELDS = "id,username,name,threads_profile_picture_url,threads_biography"

/** Token responses have no token_type. Errors have one of two Meta formats. */
const conform = repairTokenResponse((body) => {
  const { error, error_type, error_message } = body
  const { type = error_type, message = error_message } = Object(error)
  return withBearerType(body) ?? refusal(type, message)
})

/**
 * Sign-in with Threads.
 * Console: https://developers.facebook.com/apps, Access the Threads API
 * - The user has no email address.
 * - Use the id and the secret of the Threads app, not of the Meta app that contains it.
 * - The redirect URI must be https, also in development.
 * - Until Meta has reviewed the app, only its testers can sign in.
 */
const Threads = oauthProvider<ThreadsProfile>("threads", "Threads", {
  checks: ["state"],
  authorization: { url: "https://threads.net/oauth/authorize", params: { scope: "threads_basic" } },
  token: { url: "https://graph.threads.net/oauth/access_token", conform },
  userinfo: { url: "https://graph.threads.net/v1.0/me", params: { fields: FIELDS } },
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ id, name, username, threads_profile_picture_url }) => ({
    id,
    name: firstText(username, name),
    image: threads_profile_picture_url,
  }),
  apiOrigins: ["https://graph.threads.net"],
  brandColor: "#000",
})

export default Threads
