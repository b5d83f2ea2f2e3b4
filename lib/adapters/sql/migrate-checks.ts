/**
 * Checks the server and the existing tables before a migration.
 *
 * @module
 */

import { executeSql } from "../../store/sql/connection.js"
import { type Dialect, quoteName, splitName } from "../../store/sql/ddl.js"
import type { Version } from "./schema.js"
import type { SqlConnection } from "./tables.js"
import { readColumns } from "./user-columns.js"

/** Throws if the MySQL or MariaDB server is too old, or if foreign keys are disabled on the SQLite connection. */
export async function requireSupportedServer(connection: SqlConnection): Promise<void> {
  if (connection.dialect === "mysql") await requireMysql(connection)
  if (connection.dialect === "sqlite") await requireForeignKeys(connection)
}

/**
 * Throws if the server is too old. CREATE TABLE sets an exact collation in a conditional comment. A MySQL server before
 * 8.0.17 ignores this comment, and would treat ids that differ only in case or accents as equal.
 */
async function requireMysql(connection: SqlConnection): Promise<void> {
  const { rows } = await executeSql<{ version: string }>(connection, "SELECT version() AS version")
  const versionText = String(rows[0]?.version)
  const [major = 0, minor = 0, patch = 0] = versionText.split(/[.-]/).map(Number)
  const version = major * 10_000 + minor * 100 + patch
  const isMaria = /mariadb/i.test(versionText)
  if (version < (isMaria ? 100_500 : 80_017))
    throw new Error(`SqlAdapter requires at least MySQL 8.0.17 or MariaDB 10.5; this server is ${versionText}`)
}

/**
 * Throws if the SQL mode NO_BACKSLASH_ESCAPES is on. mysql2 escapes values with backslashes, but in this mode the
 * server treats backslashes as text, so values could inject SQL. Connections that the adapter opens turn the mode off.
 */
export async function requireBackslashEscapes(connection: SqlConnection): Promise<void> {
  if (connection.dialect !== "mysql") return
  const { rows } = await executeSql<{ modes: string }>(connection, "SELECT @@SESSION.sql_mode AS modes")
  if (String(rows[0]?.modes).split(",").includes("NO_BACKSLASH_ESCAPES"))
    throw new Error(
      "SqlAdapter can't use connections with the SQL mode NO_BACKSLASH_ESCAPES: mysql2 escapes values with " +
        "backslashes, so visitors could inject SQL. Remove the mode from sql_mode of the server or of your connections",
    )
}

/** Throws if foreign keys are disabled. The adapter enables them on connections that it opens itself. */
async function requireForeignKeys(connection: SqlConnection): Promise<void> {
  const { rows } = await executeSql<{ foreign_keys: number }>(connection, "PRAGMA foreign_keys")
  if (Number(rows[0]?.foreign_keys) !== 1)
    throw new Error('SqlAdapter needs foreign keys: run "PRAGMA foreign_keys = ON" when the connection is opened')
}

/** For each dialect, builds the query that finds a table by its name. */
const FIND_TABLE: Readonly<
  Record<Dialect, (name: string) => { readonly query: string; readonly parameters: unknown[] }>
> = {
  sqlite: (name) => {
    const { schema = "main", table } = splitName(name)
    const query = `SELECT name FROM ${quoteName(`${schema}.sqlite_master`, "sqlite")} WHERE lower(name) = lower(?)`
    return { query, parameters: [table] }
  },
  postgres: (name) => ({
    query: "SELECT oid FROM pg_class WHERE oid = to_regclass($1)",
    parameters: [quoteName(name, "postgres")],
  }),
  mysql: (name) => {
    const { schema = null, table } = splitName(name)
    const query =
      "SELECT 1 AS found FROM information_schema.tables WHERE table_schema = coalesce(?, database()) AND table_name = ?"
    return { query, parameters: [schema, table] }
  },
}

/**
 * Throws if a table with one of the configured names exists. Called before the first migration, so such a table belongs
 * to the application or to another package.
 */
export async function rejectExistingTables(connection: SqlConnection): Promise<void> {
  // The store's table may exist: `SqlStore` creates the same table.
  const { store: _, ...names } = connection.names
  for (const [key, name] of Object.entries(names)) {
    const { query, parameters } = FIND_TABLE[connection.dialect](name)
    const { rows } = await executeSql(connection, query, parameters)
    if (rows.length > 0)
      throw new Error(
        `the table ${name} already exists and was not created by latchkey. ` +
          `Choose another name: SqlAdapter({ …, tables: { ${key}: "auth_${splitName(name).table}" } })`,
      )
  }
}

/**
 * Throws if the table already has a column that this version adds. Such a column was added by the application, and may
 * have another type.
 */
export async function rejectExistingColumns(connection: SqlConnection, { adds }: Version): Promise<void> {
  if (!adds) return
  const existing = [...(await readColumns(connection, adds.table))].map((name) => name.toLowerCase())
  for (const column of adds.columns)
    if (existing.includes(column))
      throw new Error(
        `the table ${adds.table} already has a column ${column}, which was not created by latchkey. ` +
          "Rename this column, then migrate again",
      )
}
