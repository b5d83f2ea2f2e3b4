import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The response of Duende IdentityServer's userinfo endpoint for the scopes `profile` and `email`.
 * @see https://docs.duendesoftware.com/identityserver/v6/reference/models/client/
 */
export interface DuendeIdentityServer6Profile {
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
 * Sign-in with your own Duende IdentityServer.
 *
 * Environment: `AUTH_DUENDE_IDENTITY_SERVER6_ID`, `AUTH_DUENDE_IDENTITY_SERVER6_SECRET`, `AUTH_DUENDE_IDENTITY_SERVER6_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/duende-identity-server6`.
 * Console: the server's client configuration: grant type `code`, `RequirePkce`, scopes `openid profile email`
 *
 * - The profile is read from userinfo. To read the id_token instead, enable `AlwaysIncludeUserClaimsInIdToken` on the
 *   client and set `idToken: true`.
 * - `profile.email_verified` comes from the server's profile service.
 *
 * @example
 * import DuendeIdentityServer6 from "latchkey/providers/duende-identity-server6"
 * app.use(authMiddleware({ providers: [DuendeIdentityServer6({ issuer: process.env.AUTH_DUENDE_IDENTITY_SERVER6_ISSUER })] }))
 */
export default function DuendeIdentityServer6<P extends DuendeIdentityServer6Profile = DuendeIdentityServer6Profile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "duende-identity-server6",
    name: "DuendeIdentityServer6",
    type: "oidc",
    // By default the id_token identifies the account and has no other profile data.
    idToken: false,
    options,
  }
}
