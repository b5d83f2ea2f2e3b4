import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"
import { hasVerifiedEmail } from "../provider-kit/vendor.js"

/**
 * The claims of Cognito's id_token: Cognito's own claims, and the user attributes that the app client can read.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
 */
export interface CognitoProfile extends IdTokenClaims {
  token_use: "id"
  auth_time: number
  jti: string
  /** Identifies the sign-in that issued the refresh token. */
  origin_jti: string
  event_id?: string
  "cognito:username": string
  "cognito:groups"?: string[]
  "cognito:roles"?: string[]
  "cognito:preferred_role"?: string
  /** The account at the external identity provider, if the user signed in through one. */
  identities?: {
    userId: string
    providerName: string
    providerType: string
    issuer: string | null
    primary: boolean | "true" | "false"
    dateCreated: number | string
  }[]
  address?: { formatted?: string }
  updated_at?: number
}

/**
 * Sign-in with a user pool of Amazon Cognito.
 * Console: https://console.aws.amazon.com/cognito/, User pools, App clients
 * - The issuer contains the region and the pool: `https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example`.
 * - The pool needs a domain. Its app client needs a secret, the authorization code grant, and the scopes `openid`,
 *   `email` and `profile`.
 * - `profile.email_verified` comes from Cognito. For users of an external identity provider it is false, unless you map
 *   a claim of that identity provider to the attribute `email_verified`.
 */
const Cognito = issuerProvider<CognitoProfile>("cognito", "Cognito", {
  isEmailVerified: hasVerifiedEmail,
  brandColor: "#C17B9E",
})

export default Cognito
