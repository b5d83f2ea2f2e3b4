/**
 * Defines the names and the row types of the tables.
 *
 * @module
 */

import type { CompiledQuery, Kysely } from "kysely"
import type { Connection } from "../../store/sql/connection.js"
import { requireTableName } from "../../store/sql/ddl.js"

/** The names of the tables. A name can include a schema: "auth.users". */
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
  /** @default "store_records" */
  store: string
}

export interface UserRow {
  id: string
  name: string | null
  email: string | null
  email_verified: Int64 | null
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
  /** Seconds since 1970, as in Auth.js. */
  expires_at: Int64 | null
  scope: string | null
  token_type: string | null
  session_state: string | null
  /** The account members that have no column, as JSON. */
  extra: string | null
}

export interface SessionRow {
  token_hash: string
  user_id: string
  expires: Int64
}

export interface LinkRow {
  identifier: string
  token: string
  expires: Int64
}

export interface AuthenticatorRow {
  credential_id: string
  user_id: string
  provider_account_id: string
  credential_public_key: string
  counter: Int64
  credential_backed_up: Int64
  credential_device_type: string
  transports: string | null
  // Schema version 1 lacks these columns, and passkeys can be read before the migration to version 2.
  name?: string | null | undefined
  created_at?: Int64 | null | undefined
}

/** The columns that schema version 2 adds to the authenticators table. */
export const VERSION_2_COLUMNS: readonly string[] = ["name", "created_at"]

/** A 64-bit integer. Depending on their settings, drivers return a number, a string or a bigint. */
type Int64 = number

export interface Tables {
  users: UserRow
  accounts: AccountRow
  sessions: SessionRow
  verification_tokens: LinkRow
  authenticators: AuthenticatorRow
}

/** The table names for Kysely's types. At run time, the values are the names that the application configured. */
export interface KyselyTableNames {
  readonly users: "users"
  readonly accounts: "accounts"
  readonly sessions: "sessions"
  readonly verificationTokens: "verification_tokens"
  readonly authenticators: "authenticators"
  readonly store: "store_records"
}

const DEFAULT_NAMES: KyselyTableNames = {
  users: "users",
  accounts: "accounts",
  sessions: "sessions",
  verificationTokens: "verification_tokens",
  authenticators: "authenticators",
  store: "store_records",
}

/**
 * Returns all table names: the configured names and, for the other tables, the defaults.
 *
 * @throws TypeError when a name is invalid or used twice, or a key is unknown
 */
export function resolveTableNames(given: Partial<TableNames> = {}): KyselyTableNames {
  for (const [key, name] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_NAMES, key))
      throw new TypeError(
        `SqlAdapter: tables.${key} is not a table of the adapter; the tables are ${Object.keys(DEFAULT_NAMES).join(", ")}`,
      )
    if (name !== undefined) requireTableName(name, `SqlAdapter: tables.${key}`)
  }
  const names = Object.fromEntries(
    Object.entries(DEFAULT_NAMES).map(([key, name]) => [key, Reflect.get(given, key) ?? name]),
  )
  if (new Set(Object.values(names)).size < Object.keys(DEFAULT_NAMES).length)
    throw new TypeError(`SqlAdapter: two of the tables have the same name: ${Object.values(names).join(", ")}`)
  // Kysely derives the columns from the type of the table name, but the names are only known at run time.
  return names as unknown as KyselyTableNames
}

/** A connection to the database, and the names of the adapter's tables. */
export interface SqlConnection extends Connection<Kysely<Tables>> {
  readonly names: KyselyTableNames
  /** Compiled queries by their builder function, shared by the database and its transactions. */
  readonly compiled: Map<unknown, CompiledQuery>
}
