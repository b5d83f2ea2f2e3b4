import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Yahoo's userinfo.
 * @see https://developer.yahoo.com/oauth2/guide/get-user-inf/Get-User-Info-API.html
 */
export interface YahooProfile {
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  preferred_username?: string
  nickname?: string
  email?: string
  email_verified?: boolean
  picture?: string
  locale?: string
  [claim: string]: unknown
}

/**
 * Sign-in with Yahoo.
 *
 * Environment: `AUTH_YAHOO_ID` (the consumer key), `AUTH_YAHOO_SECRET` (the consumer secret).
 * Redirect URI: `https://example.com/auth/callback/yahoo`; Yahoo accepts https only.
 * Console: https://developer.yahoo.com/apps/
 *
 * - Select the OpenID Connect permissions "Email" and "Profile" of the application.
 *
 * @example
 * import Yahoo from "latchkey/providers/yahoo"
 * app.use(authMiddleware({ providers: [Yahoo] }))
 */
export default function Yahoo<P extends YahooProfile = YahooProfile>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> {
  return {
    id: "yahoo",
    name: "Yahoo",
    type: "oidc",
    issuer: "https://api.login.yahoo.com",
    // PKCE is not documented.
    checks: ["state", "nonce"],
    // Only the userinfo is documented to contain name and address.
    idToken: false,
    style: { brandColor: "#6001D2" },
    options,
  }
}
