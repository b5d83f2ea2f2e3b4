import { issuerProvider, type StandardClaims } from "../provider-kit/define.js"

/** @see https://docs.duendesoftware.com/identityserver/v6/reference/models/client/ */
export interface DuendeIdentityServer6Profile extends StandardClaims {}

/**
 * Sign-in with your own Duende IdentityServer.
 * Console: the server's client configuration, with the grant type `code`, `RequirePkce` and the scopes `openid profile
 * email`
 * - The profile is read from userinfo. To read the id_token instead, enable `AlwaysIncludeUserClaimsInIdToken` on the
 *   client and set `idToken: true`.
 * - `profile.email_verified` comes from the server's profile service.
 */
const DuendeIdentityServer6 = issuerProvider<DuendeIdentityServer6Profile>(
  "duende-identity-server6",
  "DuendeIdentityServer6",
  {
    // By default the id_token contains the account's id and no other profile data.
    idToken: false,
  },
)

export default DuendeIdentityServer6
