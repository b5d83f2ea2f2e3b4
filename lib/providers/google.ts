import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of Google's id_token.
 * @see https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload
 */
export interface GoogleProfile {
  iss: string
  sub: string
  aud: string
  azp: string
  iat: number
  exp: number
  at_hash?: string
  nonce?: string
  email: string
  email_verified: boolean
  name: string
  given_name?: string
  family_name?: string
  picture: string
  /** The Workspace domain the account belongs to. */
  hd?: string
  // biome-ignore lint/suspicious/noExplicitAny: further claims come with further scopes, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with Google.
 *
 * Environment: `AUTH_GOOGLE_ID`, `AUTH_GOOGLE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/google`.
 * Console: https://console.cloud.google.com/apis/credentials
 *
 * @example
 * import Google from "latchkey/providers/google"
 * app.use(authMiddleware({ providers: [Google] }))
 */
export default function Google<P extends GoogleProfile = GoogleProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "google",
    name: "Google",
    type: "oidc",
    issuer: "https://accounts.google.com",
    style: { brandColor: "#1a73e8" },
    options,
  }
}
