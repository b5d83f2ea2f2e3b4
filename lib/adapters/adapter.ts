/**
 * Defines the adapter interface: the methods of an Auth.js adapter, and optional methods that Auth.js does not have.
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
  /** When the email address was verified; null if it has not been verified. */
  emailVerified: Date | null
  // The next two types exclude `undefined`. Otherwise, with exactOptionalPropertyTypes, the adapters of this package
  // would not be assignable to the adapter type of Auth.js.
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
   * The email address that the provider had verified when the account was linked or last updated; "" if it had verified
   * none. Stored only by adapters with `keepsVerifiedEmail`.
   */
  verifiedEmail?: string | null
}

/** A stored session. */
export interface AdapterSession {
  /** The value of the session cookie. The adapters of this package store only a hash of the token. */
  sessionToken: string
  /** The id of the session's user. */
  userId: string
  /** When the session expires. */
  expires: Date
}

/** The record of an emailed sign-in link that has not been used. */
export interface VerificationToken {
  /** The email address to which the link was sent. */
  identifier: string
  /** When the link expires. */
  expires: Date
  /** The hash of the token in the link, never the token itself. */
  token: string
}

/** A stored passkey. */
export interface AdapterAuthenticator {
  /** The id of the passkey's user. */
  userId: string
  /** The `providerAccountId` of the account that was stored with the passkey. */
  providerAccountId: string
  /** The credential id, in standard base64. */
  credentialID: string
  /** The public key, in standard base64. */
  credentialPublicKey: string
  /** The signature counter; 0 without a counter. If a counter above 0 does not increase, the passkey may be a copy. */
  counter: number
  /** Whether the passkey is backed up. */
  credentialBackedUp: boolean
  /** "multiDevice" if the passkey can be synchronised between devices, otherwise "singleDevice". */
  credentialDeviceType: string
  /** The WebAuthn transports, separated by commas, for example "internal,hybrid". */
  transports?: string | null
  /** The name of the passkey. Only `renameAuthenticator` sets it. */
  name?: string | null
  /** When the passkey was stored. The adapter sets this time. */
  createdAt?: Date | null
}

/**
 * Stores users, accounts, sessions, links and passkeys. Adapters of Auth.js have this interface.
 *
 * Every method is optional in the type. The configuration check reports the methods that the configuration needs and
 * the adapter lacks. Methods return null if a record is not found, return dates as `Date`, and throw on failure.
 */
export interface Adapter {
  /** Stores a user and returns it. The adapter may replace the id. */
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  /** Finds a user by id. */
  getUser?(id: string): Awaitable<AdapterUser | null>
  /** Finds a user by email address. */
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  /** Finds the user of an account. */
  getUserByAccount?(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Awaitable<AdapterUser | null>
  /**
   * Updates the given members and returns the whole user. If the address changes, `emailVerified` becomes null unless
   * the call also sets `emailVerified`.
   */
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  /** Deletes a user with the user's accounts, sessions and passkeys. */
  deleteUser?(userId: string): Promise<void> | Awaitable<AdapterUser | null | undefined>
  /** Stores an account of a user. */
  linkAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | null | undefined>
  /** Deletes an account. */
  unlinkAccount?(
    account: Pick<AdapterAccount, "provider" | "providerAccountId">,
  ): Promise<void> | Awaitable<AdapterAccount | undefined>
  /** Stores a session. */
  createSession?(session: { sessionToken: string; userId: string; expires: Date }): Awaitable<AdapterSession>
  /** Finds a session and its user by the session token. */
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  /** Updates and returns a session, or returns null if the session does not exist. */
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>
  /** Deletes a session. A missing session is not an error. */
  deleteSession?(sessionToken: string): Promise<void> | Awaitable<AdapterSession | null | undefined>
  /** Stores the record of a requested link. */
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | null | undefined>
  /** Deletes the record of a link and returns it, in one atomic step. A second call returns null. */
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
  /**
   * Sets the counter of a passkey in one atomic step, and returns the passkey. Rejects unless the counter increases, or
   * is 0 and stays 0.
   */
  updateAuthenticatorCounter?(
    credentialID: AdapterAuthenticator["credentialID"],
    newCounter: AdapterAuthenticator["counter"],
  ): Awaitable<AdapterAuthenticator>

  // Auth.js does not have the following members. Without one of them, the library uses a fallback or omits a feature.

  /**
   * Calls `work` with an adapter whose calls form one transaction, and returns the result of `work`. Commits if `work`
   * resolves, and rolls back if it rejects.
   */
  transaction?<T>(work: (adapter: Adapter) => Promise<T>): Promise<T>
  /**
   * Within a transaction, returns a user and locks it, like `SELECT … FOR UPDATE`. Transactions that lock the same user
   * run one after another, or one of them fails if they conflict.
   */
  lockUser?(userId: AdapterUser["id"]): Awaitable<AdapterUser | null>
  /**
   * Updates the given members of an account, for example its tokens after another sign-in. Members that are null are
   * removed, and members that are undefined stay unchanged. Does nothing if the account does not exist or belongs to
   * another user.
   */
  updateAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | null | undefined>
  /** True if the adapter stores `verifiedEmail`. Other adapters never receive it, because many reject it. */
  readonly keepsVerifiedEmail?: boolean
  /**
   * Deletes every link of an email address. Called before a new link is stored and after a link is used, so that an
   * address has at most one valid link.
   */
  deleteVerificationTokens?(identifier: string): Awaitable<void>
  /** Returns the accounts of a user; an empty list for an unknown user. */
  listAccountsByUserId?(userId: AdapterAccount["userId"]): Awaitable<AdapterAccount[]>
  /** Deletes every session of a user. */
  deleteSessionsByUserId?(userId: AdapterSession["userId"]): Awaitable<void>
  /** Sets the name of a passkey; null removes the name. Rejects for an unknown passkey. */
  renameAuthenticator?(credentialID: AdapterAuthenticator["credentialID"], name: string | null): Awaitable<void>
  /** Deletes a passkey, but not its account. A missing passkey is not an error. */
  deleteAuthenticator?(credentialID: AdapterAuthenticator["credentialID"]): Awaitable<void>
}

/** The name of an adapter method. */
export type AdapterMethod = Exclude<keyof Adapter, "keepsVerifiedEmail">

/**
 * Lists and removes provider tokens that accounts contain in clear text. Used by `npx latchkey migrate --seal-tokens`.
 */
export interface ClearTextTokenAccess {
  /** Returns the accounts that contain tokens, in pages of a few hundred. An account may be returned twice. */
  listAccountsWithTokens(): AsyncIterable<readonly AdapterAccount[]>
  /**
   * Removes the access token, refresh token and id_token of an account in one atomic step. Removes none of them if one
   * has changed since `account` was read. In both cases, returns the account as it is stored afterwards; null if the
   * user has no such account.
   */
  removeAccountTokens(account: AdapterAccount): Promise<AdapterAccount | null>
}

/** The account members that contain tokens of the provider. */
export const TOKEN_MEMBERS = ["access_token", "refresh_token", "id_token"] as const

/** An adapter of this package. It also manages its tables and its connection. */
export interface BuiltInAdapter extends Required<Adapter> {
  /** A store in the same database. `authMiddleware` uses it, unless the configuration sets `store`. */
  readonly store: Store
  /** Runs `work` in one transaction. The adapter that `work` receives has every method. */
  transaction<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T>
  /** Creates or updates the tables. Can be called repeatedly, and by several processes at once. */
  migrate(): Promise<void>
  /**
   * Deletes expired sessions, links and store records, and returns the number of deleted records. The adapter also
   * deletes them automatically, from time to time. Redis deletes expired records itself, so `RedisAdapter` only removes
   * and counts the entries of expired sessions and links in its indices.
   */
  deleteExpired(): Promise<number>
  /** Closes the connections that the adapter opened. A client passed by the application stays open. */
  close(): Promise<void>
}

/** Matches an ISO 8601 date and time with a time zone. Databases without a date type can store dates in this format. */
const ISO_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/

/** True for an ISO 8601 date and time with a time zone. For adapters of databases without a date type. */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && ISO_DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
