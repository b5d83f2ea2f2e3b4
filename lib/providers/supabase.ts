import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

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
  // biome-ignore lint/suspicious/noExplicitAny: a project adds claims by a hook of its own
  [claim: string]: any
}

/**
 * Sign-in with the people of a Supabase project, whose Auth is the OAuth 2.1 server.
 *
 * Environment: `AUTH_SUPABASE_ID`, `AUTH_SUPABASE_SECRET`, and the project as `AUTH_SUPABASE_ISSUER`
 * (`https://<project>.supabase.co/auth/v1`).
 * Redirect URI: `https://example.com/auth/callback/supabase`.
 * Console: `https://supabase.com/dashboard/project/<project>/auth`, OAuth Server and OAuth Apps
 *
 * - The project must have its OAuth server enabled, a page of its own that asks for consent, and signing keys of an
 *   asymmetric kind (ES256 or RS256): with HS256 it makes no id_token.
 * - Register a confidential client; its `token_endpoint_auth_method` is `client_secret_basic` unless you say otherwise.
 * - `profile.email_verified` is Supabase's. With "Confirm email" off in the project, every address counts as confirmed:
 *   allow linking by address only with it on.
 * - The access token is as strong as a session of the person in that project, whatever the scope: what this client may
 *   read is for the project's policies to say.
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
