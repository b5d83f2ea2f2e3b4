/**
 * Rows of a table ↔ records of the adapter interface.
 *
 * A point in time is a number of milliseconds in a 64-bit column: no time zone, no precision and no setting of a driver
 * can change it. Drivers give such numbers in three forms, and `Number` reads each.
 *
 * @module
 */
import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"
import type { AccountRow, AuthenticatorRow, LinkRow, SessionRow, UserRow } from "./tables.js"

const isThere = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null

/** Text for a column. Never an object: drivers that write the statement's text themselves would take it apart. */
export const text = (value: unknown): string | null => (isThere(value) ? String(value) : null)

const toDate = (millis: unknown): Date => new Date(Number(millis))

const fromDate = (date: Date | string): number => {
  const millis = new Date(date).getTime()
  if (Number.isNaN(millis)) throw new TypeError(`${JSON.stringify(date)} is no date`)
  return millis
}

const dateOrNull = (date: Date | null | undefined): number | null => (isThere(date) ? fromDate(date) : null)

/** A whole number of 64 bits: text where a number would be another one, as two ids would be one. */
export function wholeNumber(value: bigint | string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** Columns that the application has added. */
function toOwn(own: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(own)) if (typeof value === "bigint") own[name] = wholeNumber(value)
  return own
}

export function toUser({ id, name, email, email_verified, image, ...own }: UserRow): AdapterUser {
  return {
    ...toOwn(own),
    id,
    name,
    // A user without an address has null here, as in the contract, though its type has no word for that.
    email: email as string,
    emailVerified: email_verified === null ? null : toDate(email_verified),
    image,
  }
}

/** The columns of ours that a user, or a part of one, has a value for. */
export function fromUser(user: Partial<AdapterUser>): Partial<UserRow> {
  return {
    ...(user.name !== undefined && { name: text(user.name) }),
    // Two users without an address may both be there; two with an empty one could not.
    ...(user.email !== undefined && { email: text(user.email) || null }),
    ...(user.emailVerified !== undefined && { email_verified: dateOrNull(user.emailVerified) }),
    ...(user.image !== undefined && { image: text(user.image) }),
  }
}

const USER_FIELDS = new Set(["id", "name", "email", "emailVerified", "image", "email_verified"])

/** What a user has beside the fields of the contract; kept where the application has added a column for it. */
export const ownFieldsOf = (user: Partial<AdapterUser>): [string, unknown][] =>
  Object.entries(user).filter(([field, value]) => value !== undefined && !USER_FIELDS.has(field))

/** Members of an account that have a column of text. */
const TOKEN_COLUMNS = ["access_token", "refresh_token", "id_token", "scope", "token_type", "session_state"] as const

const isTokenColumn = (name: string): name is (typeof TOKEN_COLUMNS)[number] =>
  TOKEN_COLUMNS.some((column) => column === name)

export function fromAccount(account: AdapterAccount): AccountRow {
  const { userId, provider, providerAccountId, type, ...rest } = account
  const hasColumn = ([name, value]: [string, unknown]) =>
    name === "expires_at" ? Number.isSafeInteger(value) : isTokenColumn(name) && typeof value === "string"
  const members = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)
  const extra = members.filter((member) => !hasColumn(member))
  return {
    provider: String(provider),
    provider_account_id: String(providerAccountId),
    user_id: String(userId),
    type: String(type),
    access_token: null,
    refresh_token: null,
    id_token: null,
    expires_at: null,
    scope: null,
    token_type: null,
    session_state: null,
    ...Object.fromEntries(members.filter(hasColumn)),
    extra: extra.length > 0 ? JSON.stringify(Object.fromEntries(extra)) : null,
  }
}

/** The columns of an account for which `change` has members; the others of `known` stay. */
export function fromAccountChange(change: AdapterAccount, known: AccountRow): Partial<AccountRow> {
  const { provider: _, provider_account_id: __, user_id: ___, extra, ...columns } = fromAccount(change)
  const given = Object.entries(columns).filter(([name]) => Reflect.get(change, name) !== undefined)
  const members = { ...JSON.parse(known.extra ?? "{}"), ...JSON.parse(extra ?? "{}") }
  return { ...Object.fromEntries(given), ...(extra !== null && { extra: JSON.stringify(members) }) }
}

export function toAccount(row: AccountRow): AdapterAccount {
  const { user_id, provider, provider_account_id, type, expires_at, extra } = row
  const tokens = TOKEN_COLUMNS.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]]))
  return {
    ...(extra === null ? {} : JSON.parse(extra)),
    ...Object.fromEntries(tokens),
    ...(expires_at !== null && { expires_at: Number(expires_at) }),
    userId: user_id,
    // Written by `linkAccount`, whose type has no others.
    type: type as AdapterAccount["type"],
    provider,
    providerAccountId: provider_account_id,
  }
}

/** The row has a hash; the token is the one that was asked with. */
export const toSession = (row: Omit<SessionRow, "token_hash">, sessionToken: string): AdapterSession => ({
  sessionToken,
  userId: row.user_id,
  expires: toDate(row.expires),
})

type SessionValues = Omit<SessionRow, "token_hash">

/** The columns of ours that a session, or a part of one, has a value for. */
export function fromSession(session: Pick<AdapterSession, "userId" | "expires">): SessionValues
export function fromSession(session: Partial<AdapterSession>): Partial<SessionValues>
export function fromSession({ userId, expires }: Partial<AdapterSession>): Partial<SessionValues> {
  return {
    ...(userId !== undefined && { user_id: String(userId) }),
    ...(expires !== undefined && { expires: fromDate(expires) }),
  }
}

export const fromLink = ({ identifier, token, expires }: VerificationToken): LinkRow => ({
  identifier: String(identifier),
  token: String(token),
  expires: fromDate(expires),
})

export const toLink = ({ identifier, token, expires }: LinkRow): VerificationToken => ({
  identifier,
  token,
  expires: toDate(expires),
})

/** A passkey's row as it is made: without a name yet. */
export const fromAuthenticator = (authenticator: AdapterAuthenticator, createdAt: Date): AuthenticatorRow => ({
  credential_id: String(authenticator.credentialID),
  user_id: String(authenticator.userId),
  provider_account_id: String(authenticator.providerAccountId),
  credential_public_key: String(authenticator.credentialPublicKey),
  counter: Number(authenticator.counter),
  credential_backed_up: authenticator.credentialBackedUp ? 1 : 0,
  credential_device_type: String(authenticator.credentialDeviceType),
  transports: text(authenticator.transports),
  created_at: fromDate(createdAt),
})

export const toAuthenticator = (row: AuthenticatorRow): AdapterAuthenticator => ({
  userId: row.user_id,
  providerAccountId: row.provider_account_id,
  credentialID: row.credential_id,
  credentialPublicKey: row.credential_public_key,
  counter: Number(row.counter),
  credentialBackedUp: Number(row.credential_backed_up) === 1,
  credentialDeviceType: row.credential_device_type,
  ...(row.transports !== null && { transports: row.transports }),
  ...(isThere(row.name) && { name: row.name }),
  ...(isThere(row.created_at) && { createdAt: toDate(row.created_at) }),
})
