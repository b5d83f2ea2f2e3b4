import { trimTrailingSlashes } from "../base/trim-slashes.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Keycloak's id_token, with the default mappers of a realm.
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
  /** The id of the session at Keycloak, used for sign-out there. */
  sid: string
  name: string
  preferred_username: string
  given_name: string
  family_name: string
  email: string
  email_verified: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: a realm's mappers define the claims, as in Auth.js
  [claim: string]: any
}

/** The address of Keycloak and the name of a realm. */
export interface Realm {
  /** The base URL of Keycloak, for example `https://keycloak.example.com`. Before version 17 its path is `/auth`. */
  baseUrl: string | URL | undefined
  /** The realm's name. */
  realm: string | undefined
}

/** The realm's issuer, or the base URL and the realm's name. */
export type KeycloakOptions<P> = OIDCUserConfig<P> & Partial<Realm> & ({ issuer: string | undefined } | Realm)

function issuerOf({ baseUrl, realm }: Partial<Realm>): string | undefined {
  if (!baseUrl || !realm) return undefined
  return `${trimTrailingSlashes(String(baseUrl))}/realms/${encodeURIComponent(realm)}`
}

/**
 * Sign-in with a Keycloak realm.
 *
 * Environment: `AUTH_KEYCLOAK_ID`, `AUTH_KEYCLOAK_SECRET`, `AUTH_KEYCLOAK_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/keycloak`.
 * Console: `https://keycloak.example.com/admin/`, Clients, with "Client authentication" on
 *
 * - The issuer contains the realm: `https://keycloak.example.com/realms/my-realm`. Before version 17 its path begins
 *   with `/auth/realms/`.
 * - Or set `baseUrl` and `realm`: `Keycloak({ baseUrl: "https://keycloak.example.com", realm: "my-realm" })`. The
 *   option `issuer` takes precedence over them, and they take precedence over the environment variable.
 * - `profile.email_verified` comes from the realm.
 *
 * @example
 * import Keycloak from "latchkey/providers/keycloak"
 * app.use(authMiddleware({ providers: [Keycloak({ issuer: process.env.AUTH_KEYCLOAK_ISSUER })] }))
 */
export default function Keycloak<P extends KeycloakProfile = KeycloakProfile>(
  options: KeycloakOptions<P>,
): OIDCConfig<P> {
  const issuer = issuerOf(options)
  return {
    id: "keycloak",
    name: "Keycloak",
    type: "oidc",
    ...(issuer && { issuer }),
    style: { brandColor: "#428bca" },
    options,
  }
}
