import { issuerProvider, type StandardClaims } from "../provider-kit/define.js"

/** @see https://identityserver4.readthedocs.io/en/latest/reference/client.html */
export interface IdentityServer4Profile extends StandardClaims {}

/**
 * Sign-in with your own IdentityServer4.
 * Console: the server's client configuration, with the grant type `code`, `RequirePkce` and the scopes `openid profile
 * email`
 * - The profile is read from userinfo. To read the id_token instead, enable `AlwaysIncludeUserClaimsInIdToken` on the
 *   client and set `idToken: true`.
 * - `profile.email_verified` comes from the server's profile service.
 * - IdentityServer4 has had no updates since December 2022. Its successor is Duende IdentityServer.
 */
const IdentityServer4 = issuerProvider<IdentityServer4Profile>("identity-server4", "IdentityServer4", {
  // By default the id_token contains the account's id and no other profile data.
  idToken: false,
})

export default IdentityServer4
