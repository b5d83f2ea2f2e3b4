import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of Passage's id_token.
 * @see https://docs.passage.id/hosted-login/oidc-client-configuration
 */
export interface PassageProfile {
  iss: string
  sub: string
  aud: string[]
  azp?: string
  client_id?: string
  iat: number
  exp: number
  auth_time?: number
  at_hash?: string
  c_hash?: string
  email?: string
  email_verified?: boolean
  phone?: string
  phone_number_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: Passage may add claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Passage by 1Password.
 *
 * Environment: `AUTH_PASSAGE_ID`, `AUTH_PASSAGE_SECRET`, `AUTH_PASSAGE_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/passage`.
 * Console: https://console.passage.id, OIDC Settings
 *
 * - 1Password closed the service on 16 January 2026. This provider remains for applications that still import it.
 * - The issuer is the application's hosted login: `https://my-app.withpassage.com`.
 * - `profile.email_verified` comes from Passage. No name and no picture.
 *
 * @example
 * import Passage from "latchkey/providers/passage"
 * app.use(authMiddleware({ providers: [Passage({ issuer: process.env.AUTH_PASSAGE_ISSUER })] }))
 */
export default function Passage<P extends PassageProfile = PassageProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "passage",
    name: "Passage",
    type: "oidc",
    client: { token_endpoint_auth_method: "client_secret_basic" },
    // Set explicitly to null, because the core would otherwise leave name and picture undefined.
    profile({ sub, email }) {
      return { id: requireId("Passage", sub), name: null, email: firstText(email), image: null }
    },
    style: { brandColor: "#3d53f6" },
    options,
  }
}
