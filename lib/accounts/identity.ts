import type { AdapterAuthenticator, AdapterUser } from "../adapters/adapter.js"
import type { PrivateJwk } from "../base/private-jwk.js"
import type { Account, Profile, SessionOrigin, TokenSet, User } from "../base/types.js"
import type { FactorData } from "../second-factor/factor-records.js"

/** How and when a user was authenticated. */
export type Authentication = Pick<SessionOrigin, "amr" | "authTime" | "acr" | "providerSid" | "providerSub">

/** The result of a successful authentication, for all methods. */
export interface Identity {
  readonly user: User
  readonly account: Account
  /** Undefined for a user whom the application trusts, without a sign-in. */
  readonly authentication?: Authentication
  /** With OAuth and OpenID Connect: the provider's claims. */
  readonly profile?: Profile
  /** With credentials: the submitted fields. */
  readonly credentials?: Record<string, unknown>
  /** With credentials: true if the user has no id, so that a random id is used, which differs in each sign-in. */
  readonly hasRandomId?: boolean
  /** With credentials: when the call of `authorize` started, in milliseconds. */
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
   * True if the user has opened a link that was sent to the address, which verifies it. Also set for a user whom the
   * application trusts.
   */
  readonly isEmailLink?: boolean
  /**
   * The id of the current user at the start of the sign-in, null for none. Undefined if it is unknown, or if the method
   * does not check it.
   */
  readonly startedBy?: string | null | undefined
  /** With the sign-in of a passkey: the user to whom its account is linked, as the method has just read it. */
  readonly owner?: AdapterUser
  /** With passkeys: true if the adapter already has this user. */
  readonly isStoredUser?: boolean
  /** The second factor that the user has set up in this sign-in, to be stored for the session's owner. */
  readonly newFactor?: FactorData
  /** With a new passkey: the authenticator record to store with the account. */
  readonly passkey?: Omit<AdapterAuthenticator, "userId">
}
