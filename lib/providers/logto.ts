import { firstText, issuerProvider, type OtherMembers } from "../provider-kit/define.js"

/** The claims of Logto's id_token: https://docs.logto.io/developers/custom-id-token */
export interface LogtoProfile extends OtherMembers {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  at_hash?: string
  name?: string | null
  username?: string | null
  picture?: string | null
  email?: string | null
  email_verified?: boolean
  phone_number?: string | null
  phone_number_verified?: boolean
  roles?: string[]
  organizations?: string[]
  /** "organization:role" */
  organization_roles?: string[]
  created_at?: number
  updated_at?: number
}

/**
 * Sign-in with Logto Cloud or your own Logto server.
 * Console: https://cloud.logto.io, Applications, Traditional web
 * - The issuer ends in `/oidc`: `https://my-tenant.logto.app/oidc`.
 * - To get a refresh token, turn on "Always issue refresh token" or set the authorization parameter `prompt:
 *   "consent"`.
 * - Logto reports `email_verified: true` for every address. Set `allowDangerousEmailAccountLinking` only if all
 *   addresses are verified by a code.
 */
const Logto = issuerProvider<LogtoProfile>("logto", "Logto", {
  authorization: { params: { scope: "offline_access openid email profile" } },
  user: ({ sub, name, username, email, picture }) => ({
    id: sub,
    name: firstText(name, username),
    email,
    image: picture,
  }),
})

export default Logto
