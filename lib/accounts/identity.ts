import type { AdapterAuthenticator, AdapterUser } from "../adapters/adapter.js"
import type { PrivateJwk } from "../base/private-jwk.js"
import type { Account, Profile, SessionAuthentication, TokenSet, User } from "../base/types.js"
import type { FactorData } from "../second-factor/factor-records.js"

/** How and when a user was authenticated. */
export type Authentication = Pick<SessionAuthentication, "amr" | "authTime" | "acr" | "providerSid" | "providerSub">

/** The result of a successful authentication, for all methods. */
export interface Identity {
  readonly user: User
  readonly account: Account
  /** Undefined if unknown, as for a trusted user. */
  readonly authentication?: Authentication
  /** With OAuth and OpenID Connect: the provider's claims. */
  readonly profile?: Profile
  /** With credentials: the submitted fields. */
  readonly credentials?: Record<string, unknown>
  /** With credentials: true if `authorize` returned no id, so that each sign-in has a different random user id. */
  readonly hasRandomId?: boolean
  /** With credentials: when the call of `authorize` started, in milliseconds since 1970. */
  readonly checkedAt?: number
  /** With OAuth and OpenID Connect: returns the tokens that are stored with the account. */
  readonly tokensToStore?: () => TokenSet
  /** With OpenID Connect: the sealed id_token, for logout at the provider. */
  readonly logoutHint?: string
  /** With DPoP: the private key to which the tokens are bound. */
  readonly dpopKey?: PrivateJwk
  /** With OAuth and OpenID Connect: the scopes that were requested, separated by spaces. */
  readonly requestedScope?: string
  /** True if the account may be linked to a user with the same email address. */
  readonly allowsEmailLinking?: boolean
  /** True if the provider states that it has verified the email address. */
  readonly isEmailVerified?: boolean
  /**
   * True if the user has opened a link that was sent to the address, which verifies the address. Also set for a trusted
   * user without an account to link, if the application has verified the address.
   */
  readonly isEmailLink?: boolean
  /**
   * The id of the user who was signed in when the sign-in started, or null. Undefined if this is unknown, or if the
   * method does not record it.
   */
  readonly startedBy?: string | null | undefined
  /** With an existing passkey: the user to whom its account is linked. The method has just read the user. */
  readonly owner?: AdapterUser
  /** With passkeys: true if the adapter already has this user. */
  readonly isStoredUser?: boolean
  /** The second factor that the user has set up in this sign-in. It is stored for the owner of the new session. */
  readonly newFactor?: FactorData
  /** With a new passkey: the authenticator record to store with the account. */
  readonly passkey?: Omit<AdapterAuthenticator, "userId">
}
