import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * What Apple posts as `user`, the first time a person agrees and never again. It is not signed: it comes from the
 * browser, so its name is only something to call a person by, and its address is not used at all.
 * @see https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms
 */
export interface AppleUser {
  name?: { firstName?: string; lastName?: string }
  email?: string
}

/**
 * The claims of Apple's id_token.
 * @see https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple
 */
export interface AppleProfile {
  iss: "https://appleid.apple.com"
  /** Differs between developer teams. */
  sub: string
  aud: string
  iat: number
  exp: number
  nonce?: string
  nonce_supported?: boolean
  email: string
  email_verified: boolean | "true" | "false"
  /** Is the address one that Apple forwards? */
  is_private_email: boolean | "true" | "false"
  /** 0 unsupported, 1 unknown, 2 likely a real person. */
  real_user_status?: number
  auth_time: number
  transfer_sub?: string
  /** On the first sign-in only. */
  user?: AppleUser
  // biome-ignore lint/suspicious/noExplicitAny: Apple adds claims as it grows, as in the contract
  [claim: string]: any
}

/** First and last name, as far as they are there and text. */
const fullName = (user: AppleUser | undefined): string =>
  [user?.name?.firstName, user?.name?.lastName].filter((part) => part && typeof part === "string").join(" ")

/**
 * Sign-in with Apple.
 *
 * Environment: `AUTH_APPLE_ID` (the Services ID), `AUTH_APPLE_SECRET` (a JWT signed with your key, good for six months
 * at most).
 * Redirect URI: `https://example.com/auth/callback/apple`; Apple takes https only, and not localhost.
 * Console: https://developer.apple.com/account/resources/identifiers/list/serviceId
 *
 * @example
 * import Apple from "latchkey/providers/apple"
 * app.use(authMiddleware({ providers: [Apple] }))
 */
export default function Apple(options: OIDCUserConfig<AppleProfile> = {}): OIDCConfig<AppleProfile> {
  return {
    id: "apple",
    name: "Apple",
    type: "oidc",
    issuer: "https://appleid.apple.com",
    // Apple gives the name and the address only to those who let it post them.
    authorization: { params: { scope: "name email", response_mode: "form_post" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Apple's metadata does not list PKCE.
    checks: ["nonce", "state"],
    profile({ sub, user, email }) {
      if (!sub) throw new TypeError("Apple: the profile has no sub")
      return { id: sub, name: fullName(user) || (email ?? null), email: email ?? null, image: null }
    },
    style: { brandColor: "#000" },
    options,
  }
}
