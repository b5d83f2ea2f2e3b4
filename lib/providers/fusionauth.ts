import type { OIDCConfig, OIDCUserConfig } from "./provider.js"
import { firstText, fullName, ownVariableOf, requireId, serverOf } from "./vendor.js"

/**
 * The claims of FusionAuth's id_token.
 * @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/tokens
 */
export interface FusionAuthProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  auth_time: number
  jti?: string
  at_hash?: string
  c_hash?: string
  /** The application, and the tenant: GUIDs. */
  applicationId?: string
  tid?: string
  /** The session at FusionAuth. */
  sid?: string
  roles?: string[]
  name?: string
  given_name?: string
  middle_name?: string
  family_name?: string
  preferred_username?: string
  email?: string
  email_verified?: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: a lambda adds claims, as in the contract
  [claim: string]: any
}

/** What the factory takes. */
export type FusionAuthOptions<P> = OIDCUserConfig<P> & {
  issuer: string | undefined
  /** A GUID. Only needed with more than one tenant. @default `AUTH_FUSIONAUTH_TENANT_ID` */
  tenantId?: string | undefined
}

/** A challenge is the refusal of a client's credentials, with status 401; beside anything else some cores take it for one. */
function withoutChallenge(response: Response): Response | undefined {
  if (response.status === 401 || !response.headers.has("www-authenticate")) return undefined
  const headers = new Headers(response.headers)
  headers.delete("www-authenticate")
  return new Response(response.body, { status: response.status, headers })
}

const wellKnownOf = (server: string, tenantId: string | undefined): string =>
  `${server}/.well-known/openid-configuration${tenantId ? `?${new URLSearchParams({ tenantId })}` : ""}`

/**
 * Sign-in with FusionAuth.
 *
 * Environment: `AUTH_FUSIONAUTH_ID`, `AUTH_FUSIONAUTH_SECRET`, `AUTH_FUSIONAUTH_ISSUER`, `AUTH_FUSIONAUTH_TENANT_ID`.
 * Redirect URI: `https://example.com/auth/callback/fusionauth`.
 * Console: `https://auth.example.com/admin/application/`, OAuth
 *
 * - The issuer is the server's address, and must be set as Issuer under Tenants, General as well: older versions begin
 *   with `acme.com` there, which no address can match.
 * - `tenantId` is needed with more than one tenant: without it the default one answers.
 * - Its scope has `offline_access`: enable the Refresh Token grant on the application.
 * - `profile.email_verified` is FusionAuth's.
 *
 * @example
 * import FusionAuth from "latchkey/providers/fusionauth"
 * app.use(authMiddleware({ providers: [FusionAuth({ issuer: process.env.AUTH_FUSIONAUTH_ISSUER })] }))
 */
export default function FusionAuth<P extends FusionAuthProfile = FusionAuthProfile>(
  options: FusionAuthOptions<P>,
): OIDCConfig<P> {
  const server = serverOf("fusionauth", options)
  const tenantId = options.tenantId || ownVariableOf("fusionauth", "TENANT_ID", options)
  return {
    id: "fusionauth",
    name: "FusionAuth",
    type: "oidc",
    authorization: { params: { scope: "openid offline_access email profile", tenantId } },
    ...(server && {
      wellKnown: wellKnownOf(server, tenantId),
      token: { url: `${server}/oauth2/token`, conform: withoutChallenge },
      userinfo: `${server}/oauth2/userinfo`,
    }),
    profile({ sub, name, preferred_username, given_name, middle_name, family_name, email, picture }) {
      return {
        id: requireId("FusionAuth", sub),
        name: firstText(name, preferred_username, fullName(given_name, middle_name, family_name)),
        email: firstText(email),
        image: firstText(picture),
      }
    },
    options,
  }
}
