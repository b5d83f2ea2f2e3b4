import { oauthProvider } from "../provider-kit/define.js"
import type { RefreshContext } from "../provider-kit/provider.js"
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
const conform = repairTokenResponse((body) => withBearerType(body) ?? refusal("invalid_request", body["message"]))

/** @see https://developers.figma.com/docs/rest-api/authentication/#refresh-oauth-tokens */
const refreshTokens = ({ refreshToken, provider, fetch }: RefreshContext): Promise<Response> => {
  const { clientId, clientSecret, token } = provider
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64")
  return fetch(new URL("refresh", token.url), {
    method: "POST",
    headers: { accept: "application/json", authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ refresh_token: refreshToken }),
  })
}

/**
 * Sign-in with Figma.
 * Console: https://www.figma.com/developers/apps
 * - Enable the scope `current_user:read` on the app. This scope allows reading the user, but not the user's files.
 * - Figma does not document whether email addresses are verified.
 */
const Figma = oauthProvider<FigmaProfile>("figma", "Figma", {
  authorization: { url: "https://www.figma.com/oauth", params: { scope: "current_user:read" } },
  token: { url: "https://api.figma.com/v1/oauth/token", conform, refresh: refreshTokens },
  userinfo: "https://api.figma.com/v1/me",
  checks: ["state"],
  user: ({ id, handle, email, img_url }) => ({ id, name: handle, email, image: img_url }),
  apiOrigins: ["https://api.figma.com"],
  brandColor: "#ff7237",
})

export default Figma
