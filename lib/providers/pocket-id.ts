import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Pocket ID's id_token.
 * @see https://pocket-id.org/docs
 */
export interface PocketIDProfile {
  iss: string
  /** A UUID. */
  sub: string
  aud: string[]
  iat: number
  exp: number
  auth_time?: number
  nonce?: string
  amr?: string[]
  name: string
  display_name?: string
  given_name: string
  family_name: string
  preferred_username: string
  picture: string
  /** Absent for a user without an address. */
  email?: string
  email_verified?: boolean
  /** With the scope "groups". */
  groups?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: an administrator can add claims to users and groups
  [claim: string]: any
}

/**
 * Sign-in with your own Pocket ID.
 *
 * Environment: `AUTH_POCKET_ID_ID`, `AUTH_POCKET_ID_SECRET`, and its address as `AUTH_POCKET_ID_ISSUER`
 * (`https://id.example.com`).
 * Redirect URI: `https://example.com/auth/callback/pocket-id`.
 * Console: `https://id.example.com/settings/admin/oidc-clients`
 *
 * - The issuer is the `APP_URL` of Pocket ID.
 * - A user can lack an email address. Administrators can set `profile.email_verified`: allow linking by address only if
 *   your addresses are verified.
 *
 * @example
 * import PocketID from "latchkey/providers/pocket-id"
 * app.use(authMiddleware({ providers: [PocketID({ issuer: process.env.AUTH_POCKET_ID_ISSUER })] }))
 */
export default function PocketID<P extends PocketIDProfile = PocketIDProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "pocket-id",
    name: "Pocket ID",
    type: "oidc",
    options,
  }
}
