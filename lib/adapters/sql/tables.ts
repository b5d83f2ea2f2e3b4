/**
 * The tables: what they are called, and what a row of each holds.
 *
 * @module
 */

/** Names of the tables, each with its schema where that is not the connection's own: "auth.users". */
export interface TableNames {
  /** @default "users" */
  users: string
  /** @default "accounts" */
  accounts: string
  /** @default "sessions" */
  sessions: string
  /** @default "verification_tokens" */
  verificationTokens: string
  /** @default "authenticators" */
  authenticators: string
}

/** The kinds of SQL that are spoken. */
export type Dialect = "sqlite" | "postgres" | "mysql"

export interface UserRow {
  id: string
  name: string | null
  email: string | null
  email_verified: Millis | null
  image: string | null
}

export interface AccountRow {
  provider: string
  provider_account_id: string
  user_id: string
  type: string
  access_token: string | null
  refresh_token: string | null
  id_token: string | null
  /** Seconds since 1970, as in the contract. */
  expires_at: Millis | null
  scope: string | null
  token_type: string | null
  session_state: string | null
  /** JSON of what has no column. */
  extra: string | null
}

export interface SessionRow {
  token_hash: string
  user_id: string
  expires: Millis
}

export interface LinkRow {
  identifier: string
  token: string
  expires: Millis
}

export interface AuthenticatorRow {
  credential_id: string
  user_id: string
  provider_account_id: string
  credential_public_key: string
  counter: Millis
  credential_backed_up: Millis
  credential_device_type: string
  transports: string | null
  // Tables of the first version don't have these: passkeys can be read before the migration.
  name?: string | null | undefined
  created_at?: Millis | null | undefined
}

/** Columns that a table has in a later version than its first. */
export const ADDED_COLUMNS: readonly string[] = ["name", "created_at"]

/** A whole number of 64 bits; drivers give it as a number, as text or as a bigint, whatever an application has set. */
type Millis = number

export interface Tables {
  users: UserRow
  accounts: AccountRow
  sessions: SessionRow
  verification_tokens: LinkRow
  authenticators: AuthenticatorRow
}

/** The names as Kysely's types know them; at run time they are the application's. */
export interface Names {
  readonly users: "users"
  readonly accounts: "accounts"
  readonly sessions: "sessions"
  readonly verificationTokens: "verification_tokens"
  readonly authenticators: "authenticators"
}

const DEFAULTS: Names = {
  users: "users",
  accounts: "accounts",
  sessions: "sessions",
  verificationTokens: "verification_tokens",
  authenticators: "authenticators",
}

/** One name or two; it is quoted, but a name that needs no quotes is one that can be typed in any tool. */
const NAME = /^(?:[A-Za-z_]\w{0,49}\.)?[A-Za-z_]\w{0,49}$/

/** The tables' names, checked, with the defaults for those that are not given. */
export function tableNames(given: Partial<TableNames> = {}): Names {
  for (const [key, name] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULTS, key))
      throw new TypeError(`SqlAdapter: tables.${key} is no table; there are ${Object.keys(DEFAULTS).join(", ")}`)
    if (name !== undefined && !(typeof name === "string" && NAME.test(name)))
      throw new TypeError(
        `SqlAdapter: tables.${key} is ${JSON.stringify(name)}; write up to 50 letters, digits and _, ` +
          `with the schema before it if need be: tables: { ${key}: "auth.${key}" }`,
      )
  }
  const names = Object.fromEntries(
    Object.entries(DEFAULTS).map(([key, name]) => [key, Reflect.get(given, key) ?? name]),
  )
  if (new Set(Object.values(names)).size < Object.keys(DEFAULTS).length)
    throw new TypeError(`SqlAdapter: two of the tables have the same name: ${Object.values(names).join(", ")}`)
  // Kysely finds the columns of a table by its name, and these are known when the application runs only.
  return names as unknown as Names
}

/** A name in the two parts that it may have. */
export function partsOf(name: string): { readonly schema?: string; readonly table: string } {
  const [first = "", second] = name.split(".")
  return second === undefined ? { table: first } : { schema: first, table: second }
}
