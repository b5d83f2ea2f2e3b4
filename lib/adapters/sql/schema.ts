/**
 * The statements that make the tables.
 *
 * @module
 */
import { ADDED_COLUMNS, type Dialect, type Names, partsOf } from "./tables.js"

/** One step forward. What was published is never changed: a later version gets statements of its own. */
export interface Version {
  readonly version: number
  readonly statements: readonly string[]
  /** Columns that it adds to a table. */
  readonly adds?: { readonly table: string; readonly columns: readonly string[] }
}

interface Types {
  /** Text that is looked up or unique. `length` counts where indices have a limit. */
  readonly key: (length: number) => string
  readonly text: string
  readonly integer: string
  /** After the closing bracket of a table. */
  readonly suffix: string
}

/**
 * MySQL compares text as people do by default: é is e, A is a and blanks at the end don't count. An account must not be
 * found by a name that only looks like its own. The one server reads what is meant for it and takes the other for a
 * comment. Keys stay below InnoDB's limit of 3072 bytes, four for a character.
 */
const MYSQL_SUFFIX =
  " ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4" +
  " /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */"

const TYPES: Readonly<Record<Dialect, Types>> = {
  sqlite: { key: () => "TEXT", text: "TEXT", integer: "INTEGER", suffix: "" },
  postgres: { key: () => "TEXT", text: "TEXT", integer: "BIGINT", suffix: "" },
  mysql: { key: (length) => `VARCHAR(${length})`, text: "MEDIUMTEXT", integer: "BIGINT", suffix: MYSQL_SUFFIX },
}

/** A name as it stands in a statement. */
export function quoted(name: string, dialect: Dialect): string {
  const mark = dialect === "mysql" ? "`" : '"'
  return name
    .split(".")
    .map((part) => `${mark}${part}${mark}`)
    .join(".")
}

/** Where it is written which versions a store has: beside the users. */
export function versionTable({ users }: Names): string {
  const { schema } = partsOf(users)
  return schema === undefined ? "latchkey_migrations" : `${schema}.latchkey_migrations`
}

/** Several sets of tables in one database share it: each has rows under the name of its users' table. */
export function createVersionTable(dialect: Dialect, names: Names): string {
  const { key, suffix } = TYPES[dialect]
  const rows = [
    `store ${key(128)} NOT NULL`,
    "version INTEGER NOT NULL",
    // MySQL can't take back the making of a table: 0 says that a version was begun.
    "is_complete SMALLINT NOT NULL",
    "applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
    "PRIMARY KEY (store, version)",
  ]
  return `CREATE TABLE IF NOT EXISTS ${quoted(versionTable(names), dialect)} (\n  ${rows.join(",\n  ")}\n)${suffix}`
}

export const insertVersion = (dialect: Dialect, names: Names, row: { version: number; isComplete: boolean }): string =>
  `INSERT INTO ${quoted(versionTable(names), dialect)} (store, version, is_complete) ` +
  `VALUES ('${names.users}', ${row.version}, ${row.isComplete ? 1 : 0})`

const createTable = (dialect: Dialect, name: string, rows: readonly string[]): string =>
  `CREATE TABLE ${quoted(name, dialect)} (\n  ${rows.join(",\n  ")}\n)${TYPES[dialect].suffix}`

function createIndex(dialect: Dialect, name: string, column: string): string {
  const { schema, table } = partsOf(name)
  const index = `${table}_${column}`
  // SQLite alone wants the schema at the index' own name, and not at the table's.
  const [at, on] = dialect === "sqlite" && schema !== undefined ? [`${schema}.${index}`, table] : [index, name]
  return `CREATE INDEX ${quoted(at, dialect)} ON ${quoted(on, dialect)} (${column})`
}

/** With a schema of its own, SQLite looks for the parent in the same one and wants no name for it. */
function userReference(dialect: Dialect, { users }: Names): string {
  const parent = dialect === "sqlite" ? partsOf(users).table : users
  return `FOREIGN KEY (user_id) REFERENCES ${quoted(parent, dialect)} (id) ON DELETE CASCADE`
}

function firstTables(dialect: Dialect, names: Names): string[] {
  const { key, text, integer } = TYPES[dialect]
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
      // Together 3072 bytes; the id of a passkey's account is as long as the passkey's.
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

function passkeyNames(dialect: Dialect, { authenticators }: Names): Omit<Version, "version"> {
  const { text, integer } = TYPES[dialect]
  const add = (column: string) => `ALTER TABLE ${quoted(authenticators, dialect)} ADD COLUMN ${column}`
  return {
    statements: [add(`name ${text}`), add(`created_at ${integer}`)],
    adds: { table: authenticators, columns: ADDED_COLUMNS },
  }
}

/** Every version of the tables, the oldest first. */
export const versions = (dialect: Dialect, names: Names): readonly Version[] => [
  { version: 1, statements: [...firstTables(dialect, names), ...firstIndices(dialect, names)] },
  { version: 2, ...passkeyNames(dialect, names) },
]

/** All of it as a script, for people who run their SQL themselves. For a store of an earlier version its end is enough. */
export function migrationScript(dialect: Dialect, names: Names): string {
  const script = (statements: readonly string[]) => statements.map((statement) => `${statement};\n`).join("\n")
  const steps = versions(dialect, names).map(({ version, statements }) => {
    const step = script([...statements, insertVersion(dialect, names, { version, isComplete: true })])
    return `-- version ${version}\n\n${step}`
  })
  return [script([createVersionTable(dialect, names)]), ...steps].join("\n")
}
