import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of Keycloak's id_token, with the mappers that every realm begins with.
 * @see https://www.keycloak.org/docs/latest/server_admin/#_protocol-mappers
 */
export interface KeycloakProfile {
  iss: string
  sub: string
  aud: string
  typ: string
  azp: string
  iat: number
  exp: number
  auth_time: number
  jti: string
  nonce?: string
  at_hash: string
  acr: string
  /** The session at Keycloak, for logging out there. */
  sid: string
  name: string
  preferred_username: string
  given_name: string
  family_name: string
  email: string
  email_verified: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: a realm's mappers define the claims, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with a realm of Keycloak.
 *
 * Environment: `AUTH_KEYCLOAK_ID`, `AUTH_KEYCLOAK_SECRET`, and the realm as `AUTH_KEYCLOAK_ISSUER`
 * (`https://keycloak.example.com/realms/<realm>`).
 * Redirect URI: `https://example.com/auth/callback/keycloak`.
 * Console: `https://keycloak.example.com/admin/`, Clients
 *
 * @example
 * import Keycloak from "latchkey/providers/keycloak"
 * app.use(authMiddleware({ providers: [Keycloak({ issuer: process.env.AUTH_KEYCLOAK_ISSUER })] }))
 */
export default function Keycloak<P extends KeycloakProfile = KeycloakProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "keycloak",
    name: "Keycloak",
    type: "oidc",
    style: { brandColor: "#428bca" },
    options,
  }
}
