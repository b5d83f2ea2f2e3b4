import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { fromGraphql, userinfoFrom } from "../provider-kit/vendor.js"

/** The signed-in user of Snap's Login Kit: https://developers.snap.com/snap-kit/login-kit/Tutorials/web */
export interface SnapchatProfile extends OtherMembers {
  externalId: string
  displayName?: string | null
  /** Absent if the user does not share it. */
  bitmoji?: { avatar?: string | null } | null
}

const ME_URL = "https://kit.snapchat.com/v1/me"
const SCOPE_PREFIX = "https://auth.snapchat.com/oauth2/api"
const query = "{me{externalId displayName bitmoji{avatar}}}"
const scopes = ["user.external_id", "user.display_name", "user.bitmoji.avatar"].map((name) => `${SCOPE_PREFIX}/${name}`)

/**
 * Sign-in with Snapchat.
 * Console: https://devportal.snap.com/manage/, a project with Login Kit
 * - Use the project's confidential OAuth client, and enable the display name, the external id and the Bitmoji avatar
 *   under Login Kit.
 * - The user has no email address. The image is the Bitmoji, if the user shares it.
 * - Until Snap has reviewed the project, only its demo users can sign in.
 */
const Snapchat = oauthProvider<SnapchatProfile>("snapchat", "Snapchat", {
  authorization: {
    url: "https://accounts.snapchat.com/accounts/oauth2/auth",
    params: { scope: scopes.join(" ") },
  },
  token: "https://accounts.snapchat.com/accounts/oauth2/token",
  userinfo: userinfoFrom("Snapchat", ME_URL, fromGraphql<SnapchatProfile>("Snapchat", "me"), { json: { query } }),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ externalId, displayName, bitmoji }) => ({ id: externalId, name: displayName, image: bitmoji?.avatar }),
  brandColor: "#FFFC00",
})

export default Snapchat
