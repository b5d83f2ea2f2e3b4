import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { hasVerifiedEmail } from "../provider-kit/vendor.js"

/**
 * The claims of LinkedIn's id_token.
 * @see https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2#id-token-payload-fields
 */
export interface LinkedInProfile {
  iss: string
  aud: string
  iat: number
  exp: number
  /** Identifies the member within one application. */
  sub: string
  name: string
  given_name: string
  family_name: string
  picture?: string
  /** A string in the documentation; userinfo returns an object. */
  locale: string | { country: string; language: string }
  email?: string
  email_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: LinkedIn adds claims over time, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with LinkedIn.
 *
 * Environment: `AUTH_LINKEDIN_ID`, `AUTH_LINKEDIN_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/linkedin`.
 * Console: https://www.linkedin.com/developers/apps, Auth
 *
 * - The application needs the product "Sign In with LinkedIn using OpenID Connect".
 * - LinkedIn supports neither the nonce nor PKCE for a client with a secret. State is checked.
 *
 * @example
 * import LinkedIn from "latchkey/providers/linkedin"
 * app.use(authMiddleware({ providers: [LinkedIn] }))
 */
export default function LinkedIn<P extends LinkedInProfile = LinkedInProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "linkedin",
    name: "LinkedIn",
    type: "oidc",
    issuer: "https://www.linkedin.com/oauth",
    isEmailVerified: hasVerifiedEmail,
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["state"],
    style: { brandColor: "#069" },
    options,
  }
}
