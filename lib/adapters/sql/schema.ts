/**
 * The statements that create the tables.
 *
 * @module
 */
import {
  COLUMN_TYPES,
  createIndex,
  createStoreTable,
  createTable,
  type Dialect,
  quoted,
  splitName,
} from "../../store/sql/ddl.js"
import { ADDED_COLUMNS, type Names } from "./tables.js"

/** One schema version. A published version never changes; a change is a new version. */
export interface Version {
  readonly version: number
  readonly statements: readonly string[]
  /**
   * The oldest version that a release must know to use these tables. It is an earlier one if this version only adds to
   * them.
   */
  readonly compatibleFrom: number
  /** Columns that this version adds to a table. */
  readonly adds?: { readonly table: string; readonly columns: readonly string[] }
}

/** The table of applied versions, in the schema of the users table. */
export function versionTable({ users }: Names): string {
  const { schema } = splitName(users)
  return schema === undefined ? "latchkey_migrations" : `${schema}.latchkey_migrations`
}

const COMPATIBLE_FROM = "compatible_from INTEGER"

/** For a version table from before this column existed. */
export const addCompatibleFrom = (dialect: Dialect, names: Names): string =>
  `ALTER TABLE ${quoted(versionTable(names), dialect)} ADD COLUMN ${COMPATIBLE_FROM}`

/** Several sets of tables in one database share it. Each has rows under the name of its users table. */
export function createVersionTable(dialect: Dialect, names: Names): string {
  const { key, tableOptions } = COLUMN_TYPES[dialect]
  const rows = [
    `store ${key(128)} NOT NULL`,
    "version INTEGER NOT NULL",
    // MySQL cannot roll back CREATE TABLE; 0 marks a started version.
    "is_complete SMALLINT NOT NULL",
    "applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
    COMPATIBLE_FROM,
    "PRIMARY KEY (store, version)",
  ]
  return `CREATE TABLE IF NOT EXISTS ${quoted(versionTable(names), dialect)} (\n  ${rows.join(",\n  ")}\n)${tableOptions}`
}

interface VersionRow extends Pick<Version, "version"> {
  readonly isComplete: boolean
  readonly compatibleFrom?: number
}

export function insertVersion(dialect: Dialect, names: Names, row: VersionRow): string {
  const { version, isComplete, compatibleFrom } = row
  const [column, value] = compatibleFrom === undefined ? ["", ""] : [", compatible_from", `, ${compatibleFrom}`]
  return (
    `INSERT INTO ${quoted(versionTable(names), dialect)} (store, version, is_complete${column}) ` +
    `VALUES ('${names.users}', ${version}, ${isComplete ? 1 : 0}${value})`
  )
}

/** SQLite looks for the parent table in the same schema and accepts no schema name for it. */
function userReference(dialect: Dialect, { users }: Names): string {
  const parent = dialect === "sqlite" ? splitName(users).table : users
  return `FOREIGN KEY (user_id) REFERENCES ${quoted(parent, dialect)} (id) ON DELETE CASCADE`
}

function firstTables(dialect: Dialect, names: Names): string[] {
  const { key, text, integer } = COLUMN_TYPES[dialect]
  const user = userReference(dialect, names)
  return [
    createTable(dialect, names.users, [
      `id ${key(255)} NOT NULL PRIMARY KEY`,
      `name ${text}`,
      `email ${key(255)} UNIQUE`,
      `email_verified ${integer}`,
      `image ${text}`,
    ]),
    createTable(dialect, names.accounts, [
      // Together 3072 bytes. The id of a passkey's account is as long as the passkey's id.
      `provider ${key(128)} NOT NULL`,
      `provider_account_id ${key(640)} NOT NULL`,
      `user_id ${key(255)} NOT NULL`,
      `type ${key(32)} NOT NULL`,
      ...["access_token", "refresh_token", "id_token"].map((name) => `${name} ${text}`),
      `expires_at ${integer}`,
      ...["scope", "token_type", "session_state", "extra"].map((name) => `${name} ${text}`),
      "PRIMARY KEY (provider, provider_account_id)",
      user,
    ]),
    createTable(dialect, names.sessions, [
      `token_hash ${key(64)} NOT NULL PRIMARY KEY`,
      `user_id ${key(255)} NOT NULL`,
      `expires ${integer} NOT NULL`,
      user,
    ]),
    createTable(dialect, names.verificationTokens, [
      `identifier ${key(255)} NOT NULL`,
      `token ${key(255)} NOT NULL`,
      `expires ${integer} NOT NULL`,
      "PRIMARY KEY (identifier, token)",
    ]),
    createTable(dialect, names.authenticators, [
      `credential_id ${key(640)} NOT NULL PRIMARY KEY`,
      `user_id ${key(255)} NOT NULL`,
      `provider_account_id ${key(640)} NOT NULL`,
      `credential_public_key ${text} NOT NULL`,
      `counter ${integer} NOT NULL`,
      "credential_backed_up SMALLINT NOT NULL",
      `credential_device_type ${key(32)} NOT NULL`,
      `transports ${text}`,
      user,
    ]),
  ]
}

function firstIndices(dialect: Dialect, names: Names): string[] {
  const { accounts, sessions, authenticators, verificationTokens } = names
  return [
    ...[accounts, sessions, authenticators].map((name) => createIndex(dialect, name, "user_id")),
    ...[sessions, verificationTokens].map((name) => createIndex(dialect, name, "expires")),
  ]
}

/** The name and the time of a passkey, and the table of the store. */
function secondVersion(dialect: Dialect, { authenticators, store }: Names): Pick<Version, "statements" | "adds"> {
  const { text, integer } = COLUMN_TYPES[dialect]
  const add = (column: string) => `ALTER TABLE ${quoted(authenticators, dialect)} ADD COLUMN ${column}`
  return {
    statements: [add(`name ${text}`), add(`created_at ${integer}`), ...createStoreTable(dialect, store)],
    adds: { table: authenticators, columns: ADDED_COLUMNS },
  }
}

/** All schema versions, oldest first. */
export const versions = (dialect: Dialect, names: Names): readonly Version[] => [
  { version: 1, compatibleFrom: 1, statements: [...firstTables(dialect, names), ...firstIndices(dialect, names)] },
  { version: 2, compatibleFrom: 1, ...secondVersion(dialect, names) },
]

/**
 * The whole schema as a script, to run manually. For a database with an earlier version, run only the later statements.
 */
export function migrationScript(dialect: Dialect, names: Names): string {
  const script = (statements: readonly string[]) => statements.map((statement) => `${statement};\n`).join("\n")
  const steps = versions(dialect, names).map(({ version, compatibleFrom, statements }) => {
    // The first two versions may lack the column, and every release that reads it knows these versions.
    const row = { version, isComplete: true, ...(version > 2 && { compatibleFrom }) }
    const step = script([...statements, insertVersion(dialect, names, row)])
    return `-- version ${version}\n\n${step}`
  })
  return [script([createVersionTable(dialect, names)]), ...steps].join("\n")
}
