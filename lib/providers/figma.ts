import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, refusal, repairTokenResponse, requireId, withBearerType } from "../provider-kit/vendor.js"

/**
 * The signed-in user.
 * @see https://developers.figma.com/docs/rest-api/users-endpoints/
 */
export interface FigmaProfile {
  id: string
  /** The public name. */
  handle: string
  email: string
  img_url: string
  [member: string]: unknown
}

/** Token responses have no token_type, and errors have only a message. */
const conform = repairTokenResponse((answer) => withBearerType(answer) ?? refusal("invalid_request", answer["message"]))

/**
 * Sign-in with Figma.
 *
 * Environment: `AUTH_FIGMA_ID`, `AUTH_FIGMA_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/figma`.
 * Console: https://www.figma.com/developers/apps
 *
 * - Enable the scope `current_user:read` on the app. It covers the user, not their files.
 * - Email verification is not documented.
 *
 * @example
 * import Figma from "latchkey/providers/figma"
 * app.use(authMiddleware({ providers: [Figma] }))
 */
export default function Figma(options: OAuthUserConfig<FigmaProfile> = {}): OAuth2Config<FigmaProfile> {
  return {
    id: "figma",
    name: "Figma",
    type: "oauth",
    authorization: { url: "https://www.figma.com/oauth", params: { scope: "current_user:read" } },
    token: { url: "https://api.figma.com/v1/oauth/token", conform },
    userinfo: "https://api.figma.com/v1/me",
    checks: ["state"],
    profile({ id, handle, email, img_url }) {
      return {
        id: requireId("Figma", id),
        name: firstText(handle),
        email: firstText(email),
        image: firstText(img_url),
      }
    },
    style: { brandColor: "#ff7237" },
    options,
  }
}
