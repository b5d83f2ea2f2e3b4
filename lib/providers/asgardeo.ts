import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Asgardeo's id_token. User attributes are included when they are selected in the console.
 * @see https://wso2.com/asgardeo/docs/guides/authentication/oidc/validate-id-tokens/
 */
export interface AsgardeoProfile {
  iss: string
  /** A GUID, unless the application uses another attribute as its subject. */
  sub: string
  org_id?: string
  org_name?: string
  /** The id of the session at Asgardeo. */
  sid?: string
  name?: string
  given_name?: string
  family_name?: string
  preferred_username?: string
  email?: string
  email_verified?: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: an organisation chooses the attributes, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Asgardeo.
 *
 * Environment: `AUTH_ASGARDEO_ID`, `AUTH_ASGARDEO_SECRET`, `AUTH_ASGARDEO_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/asgardeo`.
 * Console: https://console.asgardeo.io, Applications, Protocol
 *
 * - The issuer is on the application's Info tab: `https://api.asgardeo.io/t/my-organization/oauth2/token`.
 * - Select name, email address and picture under User Attributes.
 * - `profile.email_verified` comes from Asgardeo if email verification is on and the attribute is selected.
 *
 * @example
 * import Asgardeo from "latchkey/providers/asgardeo"
 * app.use(authMiddleware({ providers: [Asgardeo({ issuer: process.env.AUTH_ASGARDEO_ISSUER })] }))
 */
export default function Asgardeo<P extends AsgardeoProfile = AsgardeoProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "asgardeo",
    name: "Asgardeo",
    type: "oidc",
    style: { brandColor: "#000" },
    options,
  }
}
