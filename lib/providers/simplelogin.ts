import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"

/** The claims of SimpleLogin's id_token: https://simplelogin.io/docs/siwsl/code-flow/ */
export interface SimpleLoginProfile extends StandardClaims {
  /** The same number as `sub`. */
  id: number
  /** Identifies the user within one application. */
  sub: string
  /** The user's email address, or an alias for the application. */
  email: string
  email_verified: boolean
  name: string
  avatar_url?: string | null
  /** Name of the application. */
  client: string
}

/**
 * Sign-in with SimpleLogin.
 * Console: https://app.simplelogin.io/developer
 * - The application's registration, not the scope, decides which data is shared. SimpleLogin returns the nonce only if
 *   the scope is exactly `openid`.
 * - The picture's address expires after some time.
 */
const SimpleLogin = oidcProvider<SimpleLoginProfile>("simplelogin", "SimpleLogin", {
  issuer: "https://app.simplelogin.io",
  authorization: { params: { scope: "openid" } },
  user: ({ sub, name, email, avatar_url }) => ({ id: sub, name, email, image: avatar_url }),
  brandColor: "#e3156a",
})

export default SimpleLogin
