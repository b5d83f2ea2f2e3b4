/**
 * Defines the versions of the schema: the statements that create and change the tables.
 *
 * @module
 */
import {
  COLUMN_TYPES,
  createIndexSql,
  createStoreTableSql,
  createTableSql,
  type Dialect,
  quoteName,
  splitName,
} from "../../store/sql/ddl.js"
import { type KyselyTableNames, VERSION_2_COLUMNS } from "./tables.js"

/** One version of the schema. A published version is never edited; every later change is a new version. */
export interface Version {
  readonly version: number
  readonly statements: readonly string[]
  /**
   * The lowest schema version that a release of latchkey must support to work with tables of this version. Lower than
   * `version` if this version only adds tables or nullable columns.
   */
  readonly compatibleFrom: number
  /** Columns that this version adds to a table. */
  readonly adds?: { readonly table: string; readonly columns: readonly string[] }
}

/** Returns the name of the table that lists the applied versions. It has the same schema prefix as the users table. */
export function versionTable({ users }: KyselyTableNames): string {
  const { schema } = splitName(users)
  return schema === undefined ? "latchkey_migrations" : `${schema}.latchkey_migrations`
}

const COMPATIBLE_FROM = "compatible_from INTEGER"

/** Returns the statement that adds `compatible_from` to a version table that an older release has created. */
export const addCompatibleFromSql = (dialect: Dialect, names: KyselyTableNames): string =>
  `ALTER TABLE ${quoteName(versionTable(names), dialect)} ADD COLUMN ${COMPATIBLE_FROM}`

/**
 * Returns the statement that creates the version table. Several sets of tables in one database share this table: the
 * column `store` contains the name of the set's users table.
 */
export function createVersionTableSql(dialect: Dialect, names: KyselyTableNames): string {
  const { key, tableOptions } = COLUMN_TYPES[dialect]
  const columns = [
    `store ${key(128)} NOT NULL`,
    "version INTEGER NOT NULL",
    // 0 until all statements of the version have run. MySQL cannot roll back CREATE TABLE, so after an interruption the
    // next `migrate` runs the statements again.
    "is_complete SMALLINT NOT NULL",
    "applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
    COMPATIBLE_FROM,
    "PRIMARY KEY (store, version)",
  ]
  const name = quoteName(versionTable(names), dialect)
  return `CREATE TABLE IF NOT EXISTS ${name} (\n  ${columns.join(",\n  ")}\n)${tableOptions}`
}

/** The values of a row in the version table. */
interface RecordedVersion extends Pick<Version, "version"> {
  readonly isComplete: boolean
  readonly compatibleFrom?: number
}

/** Returns the statement that records a version in the version table. */
export function insertVersionSql(dialect: Dialect, names: KyselyTableNames, row: RecordedVersion): string {
  const { version, isComplete, compatibleFrom } = row
  const [column, value] = compatibleFrom === undefined ? ["", ""] : [", compatible_from", `, ${compatibleFrom}`]
  return (
    `INSERT INTO ${quoteName(versionTable(names), dialect)} (store, version, is_complete${column}) ` +
    `VALUES ('${names.users}', ${version}, ${isComplete ? 1 : 0}${value})`
  )
}

/** Returns the foreign key to the users table. In SQLite it can't name a schema, and uses that of the new table. */
function userReference(dialect: Dialect, { users }: KyselyTableNames): string {
  const parent = dialect === "sqlite" ? splitName(users).table : users
  return `FOREIGN KEY (user_id) REFERENCES ${quoteName(parent, dialect)} (id) ON DELETE CASCADE`
}

function firstTables(dialect: Dialect, names: KyselyTableNames): string[] {
  const { key, text, integer } = COLUMN_TYPES[dialect]
  const user = userReference(dialect, names)
  return [
    createTableSql(dialect, names.users, [
      `id ${key(255)} NOT NULL PRIMARY KEY`,
      `name ${text}`,
      `email ${key(255)} UNIQUE`,
      `email_verified ${integer}`,
      `image ${text}`,
    ]),
    createTableSql(dialect, names.accounts, [
      // In MySQL the two key columns have 3072 bytes together, the maximum size of a key. For a passkey,
      // `provider_account_id` is the credential id, so `credential_id` has the same length.
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
    createTableSql(dialect, names.sessions, [
      `token_hash ${key(64)} NOT NULL PRIMARY KEY`,
      `user_id ${key(255)} NOT NULL`,
      `expires ${integer} NOT NULL`,
      user,
    ]),
    createTableSql(dialect, names.verificationTokens, [
      `identifier ${key(255)} NOT NULL`,
      `token ${key(255)} NOT NULL`,
      `expires ${integer} NOT NULL`,
      "PRIMARY KEY (identifier, token)",
    ]),
    createTableSql(dialect, names.authenticators, [
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

function firstIndices(dialect: Dialect, names: KyselyTableNames): string[] {
  const { accounts, sessions, authenticators, verificationTokens } = names
  return [
    ...[accounts, sessions, authenticators].map((name) => createIndexSql(dialect, name, "user_id")),
    ...[sessions, verificationTokens].map((name) => createIndexSql(dialect, name, "expires")),
  ]
}

/** Version 2 adds the name and the creation time of a passkey, and the store's table. */
function secondVersion(
  dialect: Dialect,
  { authenticators, store }: KyselyTableNames,
): Pick<Version, "statements" | "adds"> {
  const { text, integer } = COLUMN_TYPES[dialect]
  const addColumn = (column: string) => `ALTER TABLE ${quoteName(authenticators, dialect)} ADD COLUMN ${column}`
  return {
    statements: [addColumn(`name ${text}`), addColumn(`created_at ${integer}`), ...createStoreTableSql(dialect, store)],
    adds: { table: authenticators, columns: VERSION_2_COLUMNS },
  }
}

/** All schema versions, oldest first. */
export const schemaVersions = (dialect: Dialect, names: KyselyTableNames): readonly Version[] => [
  { version: 1, compatibleFrom: 1, statements: [...firstTables(dialect, names), ...firstIndices(dialect, names)] },
  { version: 2, compatibleFrom: 1, ...secondVersion(dialect, names) },
]

/**
 * Returns a script of all schema versions, to run manually. On a database that has an earlier version, run only the
 * statements of the later versions.
 */
export function migrationScript(dialect: Dialect, names: KyselyTableNames): string {
  const joinStatements = (statements: readonly string[]) => statements.map((statement) => `${statement};\n`).join("\n")
  const steps = schemaVersions(dialect, names).map(({ version, compatibleFrom, statements }) => {
    // An older version table may lack the column `compatible_from`. Every release that reads the column supports
    // versions 1 and 2, so these versions need no value.
    const row = { version, isComplete: true, ...(version > 2 && { compatibleFrom }) }
    const step = joinStatements([...statements, insertVersionSql(dialect, names, row)])
    return `-- version ${version}\n\n${step}`
  })
  return [joinStatements([createVersionTableSql(dialect, names)]), ...steps].join("\n")
}
