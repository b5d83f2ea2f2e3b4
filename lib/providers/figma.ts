import { oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse, withBearerType } from "../provider-kit/vendor.js"

/** The signed-in user: https://developers.figma.com/docs/rest-api/users-endpoints/ */
export interface FigmaProfile {
  id: string
  handle: string
  email: string
  img_url: string
  [member: string]: unknown
}

/** Token responses have no token_type, and errors have only a message. */
const conform = repairTokenResponse((answer) => withBearerType(answer) ?? refusal("invalid_request", answer["message"]))

/**
 * Sign-in with Figma.
 * Console: https://www.figma.com/developers/apps
 * - Enable the scope `current_user:read` on the app. It covers the user, not their files.
 * - Email verification is not documented.
 */
const Figma = oauthProvider<FigmaProfile>("figma", "Figma", {
  authorization: { url: "https://www.figma.com/oauth", params: { scope: "current_user:read" } },
  token: { url: "https://api.figma.com/v1/oauth/token", conform },
  userinfo: "https://api.figma.com/v1/me",
  checks: ["state"],
  user: ({ id, handle, email, img_url }) => ({ id, name: handle, email, image: img_url }),
  brandColor: "#ff7237",
})

export default Figma
