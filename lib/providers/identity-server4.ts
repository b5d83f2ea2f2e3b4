import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The response of IdentityServer4's userinfo endpoint for the scopes `profile` and `email`.
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
  // biome-ignore lint/suspicious/noExplicitAny: a server's identity resources define the claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with your own IdentityServer4.
 *
 * Environment: `AUTH_IDENTITY_SERVER4_ID`, `AUTH_IDENTITY_SERVER4_SECRET`, `AUTH_IDENTITY_SERVER4_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/identity-server4`.
 * Console: the server's client configuration: grant type `code`, `RequirePkce`, scopes `openid profile email`
 *
 * - The profile is read from userinfo. To read the id_token instead, enable `AlwaysIncludeUserClaimsInIdToken` on the
 *   client and set `idToken: true`.
 * - `profile.email_verified` comes from the server's profile service.
 * - IdentityServer4 has had no updates since December 2022. Its successor is Duende IdentityServer.
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
    // By default the id_token identifies the account and has no other profile data.
    idToken: false,
    options,
  }
}
