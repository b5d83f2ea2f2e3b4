import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * What IdentityServer4's userinfo endpoint answers for the scopes `profile` and `email`.
 * @see https://identityserver4.readthedocs.io/en/latest/reference/client.html
 */
export interface IdentityServer4Profile {
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  preferred_username?: string
  picture?: string
  website?: string
  email?: string
  email_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a server's identity resources define the claims, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with a server of your own that runs IdentityServer4.
 *
 * Environment: `AUTH_IDENTITY_SERVER4_ID`, `AUTH_IDENTITY_SERVER4_SECRET`, `AUTH_IDENTITY_SERVER4_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/identity-server4`.
 * Console: the server's own configuration of clients: grant type `code`, `RequirePkce`, scopes `openid profile email`
 *
 * - The profile is what the userinfo endpoint answers: beside an access token the server leaves names and addresses out
 *   of the id_token. With `AlwaysIncludeUserClaimsInIdToken` on the client, `idToken: true` here saves the call.
 * - `profile.email_verified` is the server's, as its profile service gives it.
 * - IdentityServer4 gets no updates since December 2022; Duende IdentityServer follows it.
 *
 * @example
 * import IdentityServer4 from "latchkey/providers/identity-server4"
 * app.use(authMiddleware({ providers: [IdentityServer4({ issuer: process.env.AUTH_IDENTITY_SERVER4_ISSUER })] }))
 */
export default function IdentityServer4<P extends IdentityServer4Profile = IdentityServer4Profile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "identity-server4",
    name: "IdentityServer4",
    type: "oidc",
    // By default the id_token names the account and nothing else.
    idToken: false,
    options,
  }
}
