import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of the id_token of Supabase Auth.
 * @see https://supabase.com/docs/guides/auth/oauth-server/oauth-flows#id-tokens
 */
export interface SupabaseProfile {
  iss: string
  /** The user's UUID in the project. */
  sub: string
  aud: string
  iat: number
  exp: number
  auth_time: number
  nonce?: string
  email?: string
  email_verified?: boolean
  phone_number?: string
  phone_number_verified?: boolean
  name?: string
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: a project can add claims with a hook
  [claim: string]: any
}

/**
 * Sign-in with the users of a Supabase project, which acts as the OAuth 2.1 server.
 *
 * Environment: `AUTH_SUPABASE_ID`, `AUTH_SUPABASE_SECRET`, and the project as `AUTH_SUPABASE_ISSUER`
 * (`https://<project>.supabase.co/auth/v1`).
 * Redirect URI: `https://example.com/auth/callback/supabase`.
 * Console: `https://supabase.com/dashboard/project/<project>/auth`, OAuth Server and OAuth Apps
 *
 * - The project needs an enabled OAuth server, its own consent page, and asymmetric signing keys (ES256 or RS256). With
 *   HS256 it issues no id_token.
 * - Register a confidential client with the default `token_endpoint_auth_method`, `client_secret_basic`.
 * - `profile.email_verified` comes from Supabase. Without "Confirm email" in the project it is always true: allow
 *   linking by address only with it.
 * - The scope does not restrict the access token: it has all rights of the user's session in that project. Restrict it
 *   with the project's policies.
 *
 * @example
 * import Supabase from "latchkey/providers/supabase"
 * app.use(authMiddleware({ providers: [Supabase({ issuer: "https://abcdefgh.supabase.co/auth/v1" })] }))
 */
export default function Supabase<P extends SupabaseProfile = SupabaseProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "supabase",
    name: "Supabase",
    type: "oidc",
    style: { brandColor: "#3ECF8E" },
    options,
  }
}
