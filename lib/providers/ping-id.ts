import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of PingOne's id_token. User attributes are included when they are mapped.
 * @see https://developer.pingidentity.com/pingone-api/platform/applications/application-attribute-mapping.html
 */
export interface PingProfile {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  acr?: string
  amr?: string[]
  auth_time: number
  at_hash?: string
  /** The id of the session at PingOne. */
  sid?: string
  /** The ids of the environment and the organisation, both GUIDs. */
  env?: string
  org?: string
  "p1.region"?: string
  preferred_username?: string
  name?: string
  given_name?: string
  family_name?: string
  email?: string
  picture?: string
  updated_at?: number
  // biome-ignore lint/suspicious/noExplicitAny: an application's attribute mappings are claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with PingOne of Ping Identity.
 *
 * Environment: `AUTH_PING_ID_ID`, `AUTH_PING_ID_SECRET`, `AUTH_PING_ID_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/ping-id`.
 * Console: https://console.pingone.com, Applications, OIDC Web App
 *
 * - The issuer contains the environment and your region's top-level domain: `https://auth.pingone.eu/<environment
 *   id>/as`.
 * - The application needs the scopes `profile` and `email` under Resources. To include `name`, `email` and `picture` in
 *   the id_token, add them under Attribute Mappings.
 * - Keep `sub` mapped to the User ID, the default: an email address or a username can be reassigned.
 * - Email verification is not documented, unless you map an attribute to `email_verified`.
 *
 * @example
 * import PingId from "latchkey/providers/ping-id"
 * app.use(authMiddleware({ providers: [PingId({ issuer: process.env.AUTH_PING_ID_ISSUER })] }))
 */
export default function PingId<P extends PingProfile = PingProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "ping-id",
    name: "Ping Identity",
    type: "oidc",
    options,
  }
}
