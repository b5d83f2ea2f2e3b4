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

export type AdapterAccountType = "oauth" | "oidc" | "email" | "webauthn"

/** An account as a store holds it. */
export interface AdapterAccount extends Account {
  userId: string
  type: AdapterAccountType
}

/** A session as a store holds it. */
export interface AdapterSession {
  sessionToken: string
  userId: string
  expires: Date
}

/** A sign-in link that was sent and not used yet. */
export interface VerificationToken {
  /** The e-mail address. */
  identifier: string
  expires: Date
  /** The hash of what was sent, never the value itself. */
  token: string
}

/** A passkey as a store holds it. */
export interface AdapterAuthenticator {
  userId: string
  providerAccountId: string
  /** Standard base64. */
  credentialID: string
  /** Standard base64. */
  credentialPublicKey: string
  counter: number
  credentialBackedUp: boolean
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
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  getUser?(id: string): Awaitable<AdapterUser | null>
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  getUserByAccount?(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Awaitable<AdapterUser | null>
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  /** Its sessions and accounts go with it. */
  deleteUser?(userId: string): Promise<void> | Awaitable<AdapterUser | null | undefined>
  linkAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | null | undefined>
  unlinkAccount?(
    account: Pick<AdapterAccount, "provider" | "providerAccountId">,
  ): Promise<void> | Awaitable<AdapterAccount | undefined>
  createSession?(session: { sessionToken: string; userId: string; expires: Date }): Awaitable<AdapterSession>
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>
  deleteSession?(sessionToken: string): Promise<void> | Awaitable<AdapterSession | null | undefined>
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | null | undefined>
  /** Gives the record and deletes it, in one step; the second call gives null. */
  useVerificationToken?(params: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  getAccount?(
    providerAccountId: AdapterAccount["providerAccountId"],
    provider: AdapterAccount["provider"],
  ): Awaitable<AdapterAccount | null>
  getAuthenticator?(credentialID: AdapterAuthenticator["credentialID"]): Awaitable<AdapterAuthenticator | null>
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  listAuthenticatorsByUserId?(userId: AdapterAuthenticator["userId"]): Awaitable<AdapterAuthenticator[]>
  updateAuthenticatorCounter?(
    credentialID: AdapterAuthenticator["credentialID"],
    newCounter: AdapterAuthenticator["counter"],
  ): Awaitable<AdapterAuthenticator>

  // Beyond the interface of Auth.js. What an adapter lacks of these is done without, as well as it can be.

  /** Does the work in one transaction: what its adapter wrote is kept when it resolves, and undone when it rejects. */
  transaction?<T>(work: (adapter: Adapter) => Promise<T>): Promise<T>
  /** Deletes every link that was sent to an address, so that only the newest one is good. */
  deleteVerificationTokens?(identifier: string): Awaitable<void>
  /** The accounts that a user signs in with; an empty list for nobody. */
  listAccountsByUserId?(userId: AdapterAccount["userId"]): Awaitable<AdapterAccount[]>
  /** Ends every session of a user. */
  deleteSessionsByUserId?(userId: AdapterSession["userId"]): Awaitable<void>
  /** Gives a passkey the name that its owner knows it by, or with null takes it away; rejects for an unknown one. */
  renameAuthenticator?(credentialID: AdapterAuthenticator["credentialID"], name: string | null): Awaitable<void>
  /** Deletes a passkey, but not the account that it signs in to; an unknown one is no error. */
  deleteAuthenticator?(credentialID: AdapterAuthenticator["credentialID"]): Awaitable<void>
}

export type AdapterMethod = keyof Adapter

/** An adapter of this package: it keeps its own tables, and a connection that can be closed. */
export interface OwnAdapter extends Required<Adapter> {
  /** Creates or updates what the store needs. It can be called again, and from several processes at once. */
  migrate(): Promise<void>
  /** Deletes sessions and links that have ended; done by itself now and then. Gives how many there were. */
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
