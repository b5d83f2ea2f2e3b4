/**
 * What the library asks of a store, by the interface of Auth.js.
 *
 * @module
 */
import type { Account, Awaitable, User } from "../types.js"

/** A user as a store holds it. */
export interface AdapterUser extends User {
  id: string
  email: string
  /** When the address was proven, or null. */
  emailVerified: Date | null
  // Narrower than a user's, so that an adapter of ours is one of Auth.js under exactOptionalPropertyTypes too.
  name?: string | null
  image?: string | null
}

/** How an account that is stored signs in. */
export type AdapterAccountType = "oauth" | "oidc" | "email" | "webauthn"

/** An account as a store holds it. */
export interface AdapterAccount extends Account {
  userId: string
  type: AdapterAccountType
  /** The address that the provider verified when the account was linked; "" where it verified none. See `keepsProvenEmail`. */
  provenEmail?: string | null
}

/** A session as a store holds it. */
export interface AdapterSession {
  /** What stands in the cookie; a store of ours keeps its hash. */
  sessionToken: string
  /** Whose it is. */
  userId: string
  /** When it ends. */
  expires: Date
}

/** A sign-in link that was sent and not used yet. */
export interface VerificationToken {
  /** The e-mail address. */
  identifier: string
  /** When it is no longer good. */
  expires: Date
  /** The hash of what was sent, never the value itself. */
  token: string
}

/** What is good once, and is being used. */
export interface AdapterClaim {
  /** Drawn by lot, so that no two things have the same. */
  id: string
  /** When nobody would ask for it any more, and the store may forget it. */
  expires: Date
}

/** A passkey as a store holds it. */
export interface AdapterAuthenticator {
  /** Whose it is. */
  userId: string
  /** The account that it signs in to. */
  providerAccountId: string
  /** Standard base64. */
  credentialID: string
  /** Standard base64. */
  credentialPublicKey: string
  /** How often it has signed, where it counts; a lower number than before is a copy. */
  counter: number
  /** Is it kept in more than one place? */
  credentialBackedUp: boolean
  /** "singleDevice" or "multiDevice". */
  credentialDeviceType: string
  /** Separated by commas. */
  transports?: string | null
  /** What its owner calls it; set by `renameAuthenticator` alone. */
  name?: string | null
  /** When it was stored; set by the store. */
  createdAt?: Date | null
}

/**
 * Where users, accounts, sessions, links and passkeys are kept: the adapter interface of Auth.js.
 *
 * Every method is optional in the type; which ones a configuration needs is checked when it is read.
 * "Not found" is null, dates are `Date`, and a failure is thrown.
 */
export interface Adapter {
  /** Stores a user; the store may give it another id. */
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  /** Finds a user by id. */
  getUser?(id: string): Awaitable<AdapterUser | null>
  /** Finds a user by e-mail address. */
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  /** Finds the user to whom an account belongs. */
  getUserByAccount?(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Awaitable<AdapterUser | null>
  /**
   * Changes the members that are given, and gives the whole user. A changed address is unproved: `emailVerified` becomes
   * null unless it is given too.
   */
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  /** Its sessions and accounts go with it. */
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
  /** Changes a session, and gives it; null when there is none. */
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>
  /** Deletes a session; an unknown one is no error. */
  deleteSession?(sessionToken: string): Promise<void> | Awaitable<AdapterSession | null | undefined>
  /** Stores a link that was asked for. */
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | null | undefined>
  /** Gives the record and deletes it, in one step; the second call gives null. */
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
  /** The passkeys of a user; an empty list for nobody. */
  listAuthenticatorsByUserId?(userId: AdapterAuthenticator["userId"]): Awaitable<AdapterAuthenticator[]>
  /** Sets the counter where it goes up, in one step; rejects where it does not. */
  updateAuthenticatorCounter?(
    credentialID: AdapterAuthenticator["credentialID"],
    newCounter: AdapterAuthenticator["counter"],
  ): Awaitable<AdapterAuthenticator>

  // Beyond the interface of Auth.js. What an adapter lacks of these is done without, as well as it can be.

  /** Does the work in one transaction: what its adapter wrote is kept when it resolves, and undone when it rejects. */
  transaction?<T>(work: (adapter: Adapter) => Promise<T>): Promise<T>
  /**
   * Within a transaction: reads a user, and makes every other writer of the user and of rows that belong to it wait, or
   * fail, until the transaction ends (`SELECT … FOR UPDATE`).
   */
  lockUser?(userId: AdapterUser["id"]): Awaitable<AdapterUser | null>
  /**
   * Changes the members of an account that are given, those that are undefined stay: the tokens of a new sign-in. Nothing
   * happens to an account that is not there, or that another user has.
   */
  updateAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | null | undefined>
  /** True if `linkAccount` takes `provenEmail`. Adapters of Auth.js reject members that they do not know. */
  readonly keepsProvenEmail?: boolean
  /** Deletes every link that was sent to an address, so that only the newest one is good. */
  deleteVerificationTokens?(identifier: string): Awaitable<void>
  /**
   * Notes in one step that an id was used: true for the first caller, false for every other one until it expires, however
   * many there are at once and in however many processes. Afterwards it may be either.
   *
   * @example
   * async claimOnce({ id, expires }) {
   *   const { rowCount } = await pool.query("INSERT INTO claims VALUES ($1, $2) ON CONFLICT DO NOTHING", [id, expires])
   *   return rowCount === 1
   * }
   */
  claimOnce?(claim: AdapterClaim): Awaitable<boolean>
  /** The accounts that a user signs in with; an empty list for nobody. */
  listAccountsByUserId?(userId: AdapterAccount["userId"]): Awaitable<AdapterAccount[]>
  /** Ends every session of a user. */
  deleteSessionsByUserId?(userId: AdapterSession["userId"]): Awaitable<void>
  /** Gives a passkey the name that its owner knows it by, or with null takes it away; rejects for an unknown one. */
  renameAuthenticator?(credentialID: AdapterAuthenticator["credentialID"], name: string | null): Awaitable<void>
  /** Deletes a passkey, but not the account that it signs in to; an unknown one is no error. */
  deleteAuthenticator?(credentialID: AdapterAuthenticator["credentialID"]): Awaitable<void>
}

/** The name of a method of an adapter. */
export type AdapterMethod = Exclude<keyof Adapter, "keepsProvenEmail">

/** An adapter of this package: it keeps its own tables, and a connection that can be closed. */
export interface OwnAdapter extends Required<Adapter> {
  /** Does the work in one transaction, on an adapter that has every method too. */
  transaction<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T>
  /** Creates or updates what the store needs. It can be called again, and from several processes at once. */
  migrate(): Promise<void>
  /** Deletes sessions, links and claims that have ended; done by itself now and then. Gives how many there were. */
  sweep(): Promise<number>
  /** Closes what the adapter has opened itself; a client that it was given stays open. */
  close(): Promise<void>
}

/** A full ISO 8601 date and time with its zone, as adapters for stores without a date type read it back. */
const ISO_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/

/** Is the value text that stands for a point in time? For adapters whose store has no date type. */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && ISO_DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
