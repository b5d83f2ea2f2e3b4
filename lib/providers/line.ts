import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

/** The claims of LINE's id_token: https://developers.line.biz/en/docs/line-login/verify-id-token/#payload */
export interface LineProfile extends IdTokenClaims {
  /** Identifies the user to all channels of one LINE provider: "U" and 32 hexadecimal digits. */
  sub: string
  aud: string
  /** Present if the request had a `max_age`. */
  auth_time?: number
  /** Present if LINE permitted the channel to request email addresses. */
  email?: string
}

/**
 * Sign-in with LINE.
 * Environment: `AUTH_LINE_ID` (the channel ID), `AUTH_LINE_SECRET` (the channel secret).
 * Console: https://developers.line.biz/console/, a channel of LINE Login
 * - Apply for the email address under Basic settings, OpenID Connect. LINE does not document whether email addresses
 *   are verified.
 * - LINE signs the id_tokens of web sign-ins with the channel secret (HS256).
 */
const LINE = oidcProvider<LineProfile>("line", "LINE", {
  issuer: "https://access.line.me",
  client: { id_token_signed_response_alg: "HS256", token_endpoint_auth_method: "client_secret_post" },
  apiOrigins: ["https://api.line.me"],
  brandColor: "#00C300",
})

export default LINE
