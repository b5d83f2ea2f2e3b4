import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of LINE's id_token.
 * @see https://developers.line.biz/en/docs/line-login/verify-id-token/#payload
 */
export interface LineProfile {
  iss: string
  /** Identifies the user to all channels of one LINE provider: "U" and 32 hexadecimal digits. */
  sub: string
  /** The channel id. */
  aud: string
  exp: number
  iat: number
  /** Present if the request had a `max_age`. */
  auth_time?: number
  nonce?: string
  /** The authentication methods: "pwd", "lineautologin", "lineqr", "linesso" or "mfa". */
  amr?: string[]
  name?: string
  picture?: string
  /** For channels with LINE's permission. */
  email?: string
  // biome-ignore lint/suspicious/noExplicitAny: LINE Profile+ adds claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with LINE.
 *
 * Environment: `AUTH_LINE_ID` (the channel ID), `AUTH_LINE_SECRET` (the channel secret).
 * Redirect URI: `https://example.com/auth/callback/line`.
 * Console: https://developers.line.biz/console/, a channel of LINE Login
 *
 * - Apply for the email address under Basic settings, OpenID Connect. Email verification is not documented.
 * - LINE signs the id_tokens of web sign-ins with the channel secret (HS256).
 *
 * @example
 * import LINE from "latchkey/providers/line"
 * app.use(authMiddleware({ providers: [LINE] }))
 */
export default function LINE<P extends LineProfile = LineProfile>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> {
  return {
    id: "line",
    name: "LINE",
    type: "oidc",
    issuer: "https://access.line.me",
    client: { id_token_signed_response_alg: "HS256", token_endpoint_auth_method: "client_secret_post" },
    style: { brandColor: "#00C300" },
    options,
  }
}
