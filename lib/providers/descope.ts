import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { ownVariable } from "../provider-kit/vendor.js"

/** The claims of Descope's id_token: https://docs.descope.com/getting-started/oidc-endpoints */
export interface DescopeProfile extends IdTokenClaims<string[]> {}

/** Returns the issuer from the environment, otherwise the project's default issuer. Undefined without a project id. */
function readIssuer(options: Pick<OIDCUserConfig, "id" | "clientId">): string | undefined {
  const projectId = options.clientId || ownVariable("descope", "ID", options)
  return ownVariable("descope", "ISSUER", options) || (projectId && `https://api.descope.com/${projectId}`)
}

/**
 * Sign-in with Descope.
 * Environment: also `AUTH_DESCOPE_ISSUER`.
 * Console: https://app.descope.com/applications, OIDC
 * - The client id is the project id. The client secret is an access key (Manage, Access Keys).
 * - The default issuer is `https://api.descope.com/<project id>`. Set another issuer for a custom domain or a second
 *   application of the project.
 * - `profile.email_verified` comes from Descope.
 */
export default function Descope<P extends DescopeProfile = DescopeProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  const issuer = readIssuer(options)
  return oidcProvider<P>("descope", "Descope", { ...(issuer && { issuer }), brandColor: "#1C1C23" })(options)
}
