/**
 * Converts between table rows and records of the adapter interface.
 *
 * A date is stored as milliseconds since 1970 in a 64-bit integer column, so that time zones, column precision and
 * driver settings cannot change it. Drivers return a number, a string or a bigint; `Number` converts all three.
 *
 * @module
 */
import { omitUndefined } from "../../base/merge.js"
import { toNumberIfSafe } from "../../store/sql/postgres.js"
import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"
import type { AccountRow, AuthenticatorRow, LinkRow, SessionRow, UserRow } from "./tables.js"

const isPresent = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null

/** Converts a value to a string for a text column. An object must not reach mysql2, which would expand it to SQL. */
export const textOrNull = (value: unknown): string | null => (isPresent(value) ? String(value) : null)

const toDate = (millis: unknown): Date => new Date(Number(millis))

const fromDate = (date: Date | string): number => {
  const millis = new Date(date).getTime()
  if (Number.isNaN(millis)) throw new TypeError(`${JSON.stringify(date)} is not a valid date`)
  return millis
}

const dateOrNull = (date: Date | null | undefined): number | null => (isPresent(date) ? fromDate(date) : null)

/** Converts bigint values of the application's columns to numbers, or to strings if a number would lose precision. */
function convertBigints(columns: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(columns))
    if (typeof value === "bigint") columns[name] = toNumberIfSafe(value)
  return columns
}

export function toUser({ id, name, email, email_verified, image, ...applicationColumns }: UserRow): AdapterUser {
  return {
    ...convertBigints(applicationColumns),
    id,
    name,
    // As in Auth.js, a user without an address has null here, although the type does not allow it.
    email: email as string,
    emailVerified: email_verified === null ? null : toDate(email_verified),
    image,
  }
}

/** Converts the defined members of a user to values of the adapter's columns, without the id. */
export function fromUser(user: Partial<AdapterUser>): Partial<UserRow> {
  return {
    ...(user.name !== undefined && { name: textOrNull(user.name) }),
    // An empty address is stored as null, because the unique index accepts several nulls but only one empty string.
    ...(user.email !== undefined && { email: textOrNull(user.email) || null }),
    ...(user.emailVerified !== undefined && { email_verified: dateOrNull(user.emailVerified) }),
    ...(user.image !== undefined && { image: textOrNull(user.image) }),
  }
}

const USER_FIELDS = new Set(["id", "name", "email", "emailVerified", "image", "email_verified"])

/** Returns the fields of a user that the adapter interface does not define. They are stored only if a column exists. */
export const pickApplicationFields = (user: Partial<AdapterUser>): [string, unknown][] =>
  Object.entries(user).filter(([field, value]) => value !== undefined && !USER_FIELDS.has(field))

/** The account members that have a text column of the same name. */
const TEXT_COLUMNS = ["access_token", "refresh_token", "id_token", "scope", "token_type", "session_state"] as const

const isTextColumn = (name: string): name is (typeof TEXT_COLUMNS)[number] =>
  TEXT_COLUMNS.some((column) => column === name)

/** Converts an account to a row. Members without a suitable column are stored as JSON in `extra`. */
export function fromAccount(account: AdapterAccount): AccountRow {
  const { userId, provider, providerAccountId, type, ...rest } = account
  const hasColumn = ([name, value]: [string, unknown]) =>
    name === "expires_at" ? Number.isSafeInteger(value) : isTextColumn(name) && typeof value === "string"
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

/**
 * Returns the columns that `change` sets. Null removes a member. Other columns are omitted, because another call may
 * change them at the same time.
 */
export function fromAccountChange(change: AdapterAccount, stored: AccountRow): Partial<AccountRow> {
  const given = omitUndefined(change)
  const row = fromAccount({ ...toAccount(stored), ...given })
  const { provider: _, provider_account_id: __, user_id: ___, extra, ...columns } = row
  const changed = Object.entries(columns).filter(([name]) => name in given)
  return { ...Object.fromEntries(changed), ...(extra !== stored.extra && { extra }) }
}

export function toAccount(row: AccountRow): AdapterAccount {
  const { user_id, provider, provider_account_id, type, expires_at, extra } = row
  const texts = TEXT_COLUMNS.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]]))
  return {
    ...(extra === null ? {} : JSON.parse(extra)),
    ...Object.fromEntries(texts),
    ...(expires_at !== null && { expires_at: Number(expires_at) }),
    userId: user_id,
    // `linkAccount` stored this value, and its argument has only these types.
    type: type as AdapterAccount["type"],
    provider,
    providerAccountId: provider_account_id,
  }
}

/** Converts a row to a session. The row contains only the hash of the token, so the caller passes the token. */
export const toSession = (row: Omit<SessionRow, "token_hash">, sessionToken: string): AdapterSession => ({
  sessionToken,
  userId: row.user_id,
  expires: toDate(row.expires),
})

type SessionValues = Omit<SessionRow, "token_hash">

/** Converts the defined members of a session to column values, without the token. */
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

/** Converts a new passkey to a row. The row has no name, because only `renameAuthenticator` sets it. */
export const fromAuthenticator = (authenticator: AdapterAuthenticator, createdAt: Date): AuthenticatorRow => ({
  credential_id: String(authenticator.credentialID),
  user_id: String(authenticator.userId),
  provider_account_id: String(authenticator.providerAccountId),
  credential_public_key: String(authenticator.credentialPublicKey),
  counter: Number(authenticator.counter),
  credential_backed_up: authenticator.credentialBackedUp ? 1 : 0,
  credential_device_type: String(authenticator.credentialDeviceType),
  transports: textOrNull(authenticator.transports),
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
  ...(isPresent(row.name) && { name: row.name }),
  ...(isPresent(row.created_at) && { createdAt: toDate(row.created_at) }),
})
