import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { hasVerifiedEmail } from "../provider-kit/vendor.js"

/**
 * The claims of Cognito's id_token: its own, and the attributes that the app client may read.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
 */
export interface CognitoProfile {
  iss: string
  sub: string
  aud: string
  token_use: "id"
  auth_time: number
  iat: number
  exp: number
  jti: string
  /** Identifies the sign-in that issued the refresh token. */
  origin_jti: string
  event_id?: string
  nonce?: string
  at_hash?: string
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
  name?: string
  given_name?: string
  middle_name?: string
  family_name?: string
  nickname?: string
  preferred_username?: string
  profile?: string
  picture?: string
  website?: string
  email?: string
  email_verified?: boolean
  phone_number?: string
  phone_number_verified?: boolean
  gender?: string
  birthdate?: string
  zoneinfo?: string
  locale?: string
  address?: { formatted?: string }
  updated_at?: number
  // biome-ignore lint/suspicious/noExplicitAny: a user pool has attributes of its own (`custom:…`), as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with a user pool of Amazon Cognito.
 *
 * Environment: `AUTH_COGNITO_ID`, `AUTH_COGNITO_SECRET`, `AUTH_COGNITO_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/cognito`.
 * Console: https://console.aws.amazon.com/cognito/, User pools, App clients
 *
 * - The issuer contains the region and the pool: `https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example`.
 * - The pool needs a domain. Its app client needs a secret, the authorization code grant, and the scopes `openid`,
 *   `email` and `profile`.
 * - `profile.email_verified` comes from Cognito. For users of an external identity provider it is false unless that
 *   provider's claim is mapped to it.
 *
 * @example
 * import Cognito from "latchkey/providers/cognito"
 * app.use(authMiddleware({ providers: [Cognito({ issuer: process.env.AUTH_COGNITO_ISSUER })] }))
 */
export default function Cognito<P extends CognitoProfile = CognitoProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "cognito",
    name: "Cognito",
    type: "oidc",
    isEmailVerified: hasVerifiedEmail,
    style: { brandColor: "#C17B9E" },
    options,
  }
}
