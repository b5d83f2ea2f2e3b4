import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of PingOne's id_token; those of a person are there when they are mapped.
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
  /** The session at PingOne. */
  sid?: string
  /** The environment and the organisation, GUIDs. */
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
  // biome-ignore lint/suspicious/noExplicitAny: an application's attribute mappings are claims, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with PingOne of Ping Identity.
 *
 * Environment: `AUTH_PING_ID_ID`, `AUTH_PING_ID_SECRET`, `AUTH_PING_ID_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/ping-id`.
 * Console: https://console.pingone.com, Applications, OIDC Web App
 *
 * - The issuer names the environment: `https://auth.pingone.eu/<environment id>/as`, with the region's own ending.
 * - The application needs the scopes `profile` and `email` under Resources, and mappings of `name`, `email` and `picture`
 *   under Attribute Mappings for what else is to stand in the id_token.
 * - Leave `sub` mapped to the User ID, as it is at first: an e-mail address or a username can pass to another person.
 * - PingOne does not say whether an address is proven, unless you map an attribute to `email_verified`.
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
