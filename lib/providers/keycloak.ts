import { trimTrailingSlashes } from "../base/text.js"
import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/** @see https://www.keycloak.org/docs/latest/server_admin/#_protocol-mappers */
export interface KeycloakProfile extends IdTokenClaims {
  typ: string
  azp: string
  auth_time: number
  jti: string
  at_hash: string
  acr: string
  sid: string
  name: string
  preferred_username: string
  given_name: string
  family_name: string
  email: string
  email_verified: boolean
}

/** The address of Keycloak and the name of a realm. */
export interface Realm {
  /** The base URL of Keycloak, for example `https://keycloak.example.com`. Before version 17, its path is `/auth`. */
  baseUrl: string | URL | undefined
  realm: string | undefined
}

/** Options of the factory, which require the realm's issuer, or the base URL and the realm's name. */
export type KeycloakOptions<P> = OIDCUserConfig<P> & Partial<Realm> & ({ issuer: string | undefined } | Realm)

function toIssuer({ baseUrl, realm }: Partial<Realm>): string | undefined {
  if (!baseUrl || !realm) return undefined
  return `${trimTrailingSlashes(String(baseUrl))}/realms/${encodeURIComponent(realm)}`
}

/**
 * Sign-in with a Keycloak realm.
 * Console: `https://keycloak.example.com/admin/`, Clients, with "Client authentication" on
 * - The issuer contains the realm: `https://keycloak.example.com/realms/my-realm`. Before version 17, the path of the
 *   issuer begins with `/auth/realms/`.
 * - Instead of the issuer you can set `baseUrl` and `realm`: `Keycloak({ baseUrl: "https://keycloak.example.com",
 *   realm: "my-realm" })`. The option `issuer` takes precedence over `baseUrl` and `realm`, which take precedence over
 *   the environment variable.
 * - `profile.email_verified` comes from the realm.
 */
export default function Keycloak<P extends KeycloakProfile = KeycloakProfile>(
  options: KeycloakOptions<P>,
): OIDCConfig<P> {
  const issuer = toIssuer(options)
  return oidcProvider<P>("keycloak", "Keycloak", { ...(issuer && { issuer }), brandColor: "#428bca" })(options)
}
