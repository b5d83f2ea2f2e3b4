import { firstText, fullName, type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { ownVariable, readServer } from "../provider-kit/vendor.js"

/** The claims of FusionAuth's id_token: https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/tokens */
export interface FusionAuthProfile extends IdTokenClaims {
  auth_time: number
  jti?: string
  c_hash?: string
  /** The application id and the tenant id, both GUIDs. */
  applicationId?: string
  tid?: string
  roles?: string[]
}

/** Options of the factory. */
export type FusionAuthOptions<P> = OIDCUserConfig<P> & {
  issuer: string | undefined
  /** The tenant's GUID, required if there is more than one tenant. @default `AUTH_FUSIONAUTH_TENANT_ID` */
  tenantId?: string | undefined
}

/**
 * Removes the WWW-Authenticate header from a response whose status is not 401, because some versions of the Auth.js
 * core treat any response with this header as failed client authentication. Undefined if the response is unchanged.
 */
function withoutChallenge(response: Response): Response | undefined {
  if (response.status === 401 || !response.headers.has("www-authenticate")) return undefined
  const headers = new Headers(response.headers)
  headers.delete("www-authenticate")
  return new Response(response.body, { status: response.status, headers })
}

const toWellKnown = (server: string, tenantId: string | undefined): string =>
  `${server}/.well-known/openid-configuration${tenantId ? `?${new URLSearchParams({ tenantId })}` : ""}`

/**
 * Sign-in with FusionAuth.
 * Environment: also `AUTH_FUSIONAUTH_ISSUER` and `AUTH_FUSIONAUTH_TENANT_ID`.
 * Console: `https://auth.example.com/admin/application/`, OAuth
 * - The issuer is the server's address. Set the same address as Issuer under Tenants, General, where the default of
 *   older versions is `acme.com`.
 * - Set `tenantId` if there is more than one tenant. Otherwise the default tenant is used.
 * - The scope contains `offline_access`, so enable the Refresh Token grant on the application.
 * - `profile.email_verified` comes from FusionAuth.
 */
export default function FusionAuth<P extends FusionAuthProfile = FusionAuthProfile>(
  options: FusionAuthOptions<P>,
): OIDCConfig<P> {
  const server = readServer("fusionauth", options)
  const tenantId = options.tenantId || ownVariable("fusionauth", "TENANT_ID", options)
  return oidcProvider<P>("fusionauth", "FusionAuth", {
    authorization: { params: { scope: "openid offline_access email profile", tenantId } },
    ...(server && {
      wellKnown: toWellKnown(server, tenantId),
      token: { url: `${server}/oauth2/token`, conform: withoutChallenge },
      userinfo: `${server}/oauth2/userinfo`,
    }),
    user: ({ sub, name, preferred_username, given_name, middle_name, family_name, email, picture }) => ({
      id: sub,
      name: firstText(name, preferred_username, fullName(given_name, middle_name, family_name)),
      email,
      image: picture,
    }),
  })(options)
}
