/**
 * The adapter interface: the methods of Auth.js adapters, and optional additions.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import type { Account, User } from "../base/types.js"
import type { Store } from "../store/store.js"

/** A stored user. */
export interface AdapterUser extends User {
  id: string
  email: string
  /** When the address was verified, or null. */
  emailVerified: Date | null
  // Without `undefined`, so that these adapters are assignable to the type of Auth.js with exactOptionalPropertyTypes.
  name?: string | null
  image?: string | null
}

/** The sign-in method of a stored account. */
export type AdapterAccountType = "oauth" | "oidc" | "email" | "webauthn"

/** A stored account. */
export interface AdapterAccount extends Account {
  userId: string
  type: AdapterAccountType
  /**
   * The address that the provider verified when the account was linked, or "" if it verified none. See
   * `keepsVerifiedEmail`.
   */
  verifiedEmail?: string | null
}

/** A stored session. */
export interface AdapterSession {
  /** The value of the cookie. The adapters of this package store its hash. */
  sessionToken: string
  /** The id of its user. */
  userId: string
  /** When it expires. */
  expires: Date
}

/** An email link that was sent and not used yet. */
export interface VerificationToken {
  /** The email address. */
  identifier: string
  /** When it expires. */
  expires: Date
  /** The hash of the sent token, never the token itself. */
  token: string
}

/** A stored passkey. */
export interface AdapterAuthenticator {
  /** The id of its user. */
  userId: string
  /** The `providerAccountId` of its account. */
  providerAccountId: string
  /** Standard base64. */
  credentialID: string
  /** Standard base64. */
  credentialPublicKey: string
  /** The signature counter; 0 if the authenticator has no counter. A counter that decreases indicates a copied key. */
  counter: number
  /** Whether the passkey is backed up. */
  credentialBackedUp: boolean
  /** "singleDevice" or "multiDevice". */
  credentialDeviceType: string
  /** Separated by commas. */
  transports?: string | null
  /** The name given by its owner; set only by `renameAuthenticator`. */
  name?: string | null
  /** When it was stored; set by the adapter. */
  createdAt?: Date | null
}

/**
 * Stores users, accounts, sessions, links and passkeys: the adapter interface of Auth.js.
 *
 * Every method is optional in the type; the configuration check reports the ones that are needed. "Not found" is null,
 * dates are `Date`, and a failure is thrown.
 */
export interface Adapter {
  /** Stores a user. The adapter can assign another id. */
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  /** Finds a user by id. */
  getUser?(id: string): Awaitable<AdapterUser | null>
  /** Finds a user by email address. */
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  /** Finds the user of an account. */
  getUserByAccount?(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Awaitable<AdapterUser | null>
  /**
   * Updates the given members and returns the whole user. If the address changes, `emailVerified` becomes null unless
   * the call sets it too.
   */
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  /** Deletes a user with its sessions and accounts. */
  deleteUser?(userId: string): Promise<void> | Awaitable<AdapterUser | null | undefined>
  /** Stores an account of a user. */
  linkAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | null | undefined>
  /** Deletes an account. */
  unlinkAccount?(
    account: Pick<AdapterAccount, "provider" | "providerAccountId">,
  ): Promise<void> | Awaitable<AdapterAccount | undefined>
  /** Stores a session. */
  createSession?(session: { sessionToken: string; userId: string; expires: Date }): Awaitable<AdapterSession>
  /** Finds a session with its user. */
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  /** Updates and returns a session, or returns null if the session does not exist. */
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>
  /** Deletes a session. An unknown one is not an error. */
  deleteSession?(sessionToken: string): Promise<void> | Awaitable<AdapterSession | null | undefined>
  /** Stores a requested link. */
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | null | undefined>
  /** Deletes and returns the record in one step. A second call returns null. */
  useVerificationToken?(params: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  /** Finds an account. */
  getAccount?(
    providerAccountId: AdapterAccount["providerAccountId"],
    provider: AdapterAccount["provider"],
  ): Awaitable<AdapterAccount | null>
  /** Finds a passkey by its credential id. */
  getAuthenticator?(credentialID: AdapterAuthenticator["credentialID"]): Awaitable<AdapterAuthenticator | null>
  /** Stores a passkey. */
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  /** Returns the passkeys of a user; an empty list for an unknown user. */
  listAuthenticatorsByUserId?(userId: AdapterAuthenticator["userId"]): Awaitable<AdapterAuthenticator[]>
  /** Sets the counter in one step if it goes up; rejects otherwise. */
  updateAuthenticatorCounter?(
    credentialID: AdapterAuthenticator["credentialID"],
    newCounter: AdapterAuthenticator["counter"],
  ): Awaitable<AdapterAuthenticator>

  // Additions to the interface of Auth.js. For an adapter without one of these, the library uses a fallback.

  /** Runs the work in one transaction. The writes are committed when it resolves and rolled back when it rejects. */
  transaction?<T>(work: (adapter: Adapter) => Promise<T>): Promise<T>
  /**
   * Within a transaction: reads and locks a user. Other writers of the user and of its rows wait or fail until the
   * transaction ends (`SELECT … FOR UPDATE`).
   */
  lockUser?(userId: AdapterUser["id"]): Awaitable<AdapterUser | null>
  /**
   * Updates the given members of an account, such as the tokens of a new sign-in; undefined members stay. Does nothing
   * if the account does not exist or belongs to another user.
   */
  updateAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | null | undefined>
  /** True if `linkAccount` accepts `verifiedEmail`. Auth.js adapters reject unknown members. */
  readonly keepsVerifiedEmail?: boolean
  /** Deletes every link that was sent to an address, so that only the newest one is valid. */
  deleteVerificationTokens?(identifier: string): Awaitable<void>
  /** Returns the accounts of a user; an empty list for an unknown user. */
  listAccountsByUserId?(userId: AdapterAccount["userId"]): Awaitable<AdapterAccount[]>
  /** Deletes every session of a user. */
  deleteSessionsByUserId?(userId: AdapterSession["userId"]): Awaitable<void>
  /** Sets the name of a passkey, or removes it with null. Rejects for an unknown passkey. */
  renameAuthenticator?(credentialID: AdapterAuthenticator["credentialID"], name: string | null): Awaitable<void>
  /** Deletes a passkey, but not its account. An unknown one is not an error. */
  deleteAuthenticator?(credentialID: AdapterAuthenticator["credentialID"]): Awaitable<void>
}

/** The name of an adapter method. */
export type AdapterMethod = Exclude<keyof Adapter, "keepsVerifiedEmail">

/**
 * Reads and removes the provider tokens that an adapter has stored in clear text, for
 * `npx latchkey migrate --seal-tokens`.
 */
export interface ClearTextTokens {
  /** Returns the accounts that contain tokens, in pages of some hundred. An account may be returned twice. */
  listAccountsWithTokens(): AsyncIterable<readonly AdapterAccount[]>
  /**
   * Removes the access token, refresh token and id_token of an account in one step, unless they have changed since it
   * was read. Returns the account as it is then stored, or null if it does not exist.
   */
  removeAccountTokens(account: AdapterAccount): Promise<AdapterAccount | null>
}

/** The members of an account that grant access, or contain data about the user. */
export const TOKEN_MEMBERS = ["access_token", "refresh_token", "id_token"] as const

/** An adapter of this package, which manages its tables and its connection. */
export interface OwnAdapter extends Required<Adapter> {
  /** The store in the same database, which `authMiddleware` uses unless it is given another one. */
  readonly store: Store
  /** Runs the work in one transaction, with an adapter that has every method. */
  transaction<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T>
  /** Creates or updates the tables. It can be called repeatedly, and by several processes at once. */
  migrate(): Promise<void>
  /**
   * Deletes expired sessions, links and records of the store, and returns their number. It also runs
   * automatically.
   */
  deleteExpired(): Promise<number>
  /** Closes the connections that the adapter opened. A client passed by the application stays open. */
  close(): Promise<void>
}

/** A full ISO 8601 date and time with time zone, as returned by adapters for stores without a date type. */
const ISO_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/

/** True for a string that represents a date. For adapters whose store has no date type. */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && ISO_DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
