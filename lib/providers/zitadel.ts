import { issuerProvider, type OtherMembers } from "../provider-kit/define.js"

/** @see https://zitadel.com/docs/apis/openidoauth/claims */
export interface ZitadelProfile extends OtherMembers {
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  nickname?: string
  preferred_username?: string
  gender?: string
  locale?: string | null
  picture?: string
  email?: string
  email_verified?: boolean
  updated_at?: number
  "urn:zitadel:iam:user:metadata"?: Record<string, string>
}

/**
 * Sign-in with ZITADEL Cloud or your own ZITADEL server.
 * Console: `https://my-instance.zitadel.cloud/ui/console`, Projects, Applications, Web, Code
 * - The issuer is the instance's address: `https://my-instance.zitadel.cloud`.
 * - The profile is read from userinfo. To read the id_token instead, enable "User Info inside ID Token" on the
 *   application and set `idToken: true`.
 * - The application must use the authentication method "Basic" (with a client secret).
 * - `profile.email_verified` comes from ZITADEL. Managers of an organization can mark an address as verified. Set
 *   `allowDangerousEmailAccountLinking` only if you trust all organizations of the instance.
 */
const ZITADEL = issuerProvider<ZitadelProfile>("zitadel", "ZITADEL", {
  // By default the id_token contains the account's id and no other profile data.
  idToken: false,
})

export default ZITADEL
