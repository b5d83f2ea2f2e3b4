import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/**
 * The claims of the id_token of Supabase Auth.
 * @see https://supabase.com/docs/guides/auth/oauth-server/oauth-flows#id-tokens
 */
export interface SupabaseProfile extends IdTokenClaims {
  /** The user's UUID in the project. */
  sub: string
  auth_time: number
}

/**
 * Sign-in with the users of a Supabase project, which acts as the OAuth 2.1 server.
 * Environment: also `AUTH_SUPABASE_ISSUER`, the address of the project (`https://<project>.supabase.co/auth/v1`).
 * Console: `https://supabase.com/dashboard/project/<project>/auth`, OAuth Server and OAuth Apps
 * - The project needs an enabled OAuth server, its own consent page, and asymmetric signing keys (ES256 or RS256). With
 *   HS256 the server issues no id_token.
 * - Register a confidential client with the default `token_endpoint_auth_method`, `client_secret_basic`.
 * - `profile.email_verified` comes from Supabase. If "Confirm email" is off in the project, it is always true. Set
 *   `allowDangerousEmailAccountLinking` only if "Confirm email" is on.
 * - The scope does not restrict the access token, which has all rights of the user's session in that project. To
 *   restrict the token, use the project's policies.
 * @example
 * import Supabase from "latchkey/providers/supabase"
 * app.use(authMiddleware({ providers: [Supabase({ issuer: "https://abcdefgh.supabase.co/auth/v1" })] }))
 */
const Supabase = issuerProvider<SupabaseProfile>("supabase", "Supabase", { brandColor: "#3ECF8E" })

export default Supabase
