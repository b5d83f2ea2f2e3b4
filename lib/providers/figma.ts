import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { asBearer, conformBy, firstText, refusal, requireId } from "./vendor.js"

/**
 * The signed-in person.
 * @see https://developers.figma.com/docs/rest-api/users-endpoints/
 */
export interface FigmaProfile {
  id: string
  /** The name that others see. */
  handle: string
  email: string
  img_url: string
  [member: string]: unknown
}

/** Tokens come without their type, and a refusal with a sentence alone. */
const conform = conformBy((answer) => asBearer(answer) ?? refusal("invalid_request", answer["message"]))

/**
 * Sign-in with Figma.
 *
 * Environment: `AUTH_FIGMA_ID`, `AUTH_FIGMA_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/figma`.
 * Console: https://www.figma.com/developers/apps
 *
 * - Enable the scope `current_user:read` on the app. It shows the person and none of their files.
 * - Figma does not document whether an address is proven, so there is no `profile.email_verified`.
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
