import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { ownVariable } from "../provider-kit/vendor.js"

/**
 * The claims of Descope's id_token.
 * @see https://docs.descope.com/getting-started/oidc-endpoints
 */
export interface DescopeProfile {
  iss: string
  sub: string
  aud: string[]
  iat: number
  exp: number
  name?: string
  given_name?: string
  family_name?: string
  email?: string
  email_verified?: boolean
  phone_number?: string
  phone_number_verified?: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: a project defines its own claims, as in Auth.js
  [claim: string]: any
}

/** The issuer of the environment, or the default one. */
function readIssuer(options: Pick<OIDCUserConfig, "id" | "clientId">): string | undefined {
  const projectId = options.clientId || ownVariable("descope", "ID", options)
  return ownVariable("descope", "ISSUER", options) || (projectId && `https://api.descope.com/${projectId}`)
}

/**
 * Sign-in with Descope.
 *
 * Environment: `AUTH_DESCOPE_ID`, `AUTH_DESCOPE_SECRET`, `AUTH_DESCOPE_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/descope`.
 * Console: https://app.descope.com/applications, OIDC
 *
 * - The client id is the project id. The client secret is an access key (Manage, Access Keys).
 * - The default issuer is `https://api.descope.com/<project id>`. Set another for a custom domain or a second
 *   application of the project.
 * - `profile.email_verified` comes from Descope.
 *
 * @example
 * import Descope from "latchkey/providers/descope"
 * app.use(authMiddleware({ providers: [Descope] }))
 */
export default function Descope<P extends DescopeProfile = DescopeProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  const issuer = readIssuer(options)
  return {
    id: "descope",
    name: "Descope",
    type: "oidc",
    ...(issuer && { issuer }),
    style: { brandColor: "#1C1C23" },
    options,
  }
}
