/**
 * Finds the columns that the application added to the users table, and the values to store in them.
 *
 * @module
 */

import { executeSql } from "../../store/sql/connection.js"
import { quoteName, splitName } from "../../store/sql/ddl.js"
import type { AdapterUser } from "../adapter.js"
import { pickApplicationFields } from "./rows.js"
import type { SqlConnection } from "./tables.js"

/** Returns the names of all columns of the users table, including those of the adapter. */
export type ReadUserColumns = (connection: SqlConnection) => Promise<ReadonlySet<string>>

const QUERIES = {
  sqlite: "SELECT name FROM pragma_table_info(?, ?)",
  postgres:
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
  mysql:
    "SELECT column_name AS name FROM information_schema.columns " +
    "WHERE table_name = ? AND table_schema = coalesce(?, database())",
} as const

/** Reads the names of a table's columns; an empty set if the table does not exist. */
export async function readColumns(connection: SqlConnection, name: string): Promise<ReadonlySet<string>> {
  const { dialect } = connection
  const { table, schema } = splitName(name)
  const parameters = dialect === "postgres" ? [quoteName(name, dialect)] : [table, schema ?? defaultSchema(dialect)]
  const { rows } = await executeSql<{ name: string }>(connection, QUERIES[dialect], parameters)
  return new Set(rows.map(({ name }) => name))
}

const defaultSchema = (dialect: SqlConnection["dialect"]) => (dialect === "sqlite" ? "main" : null)

/**
 * Creates a function that reads the columns at its first call and then caches them. A column that is added later is
 * therefore used only after a restart.
 */
export function createUserColumnsReader(): ReadUserColumns {
  let cached: ReadonlySet<string> | undefined
  return async (connection) => {
    const columns = cached ?? (await readColumns(connection, connection.names.users))
    // An empty set means that the table does not exist yet, so it is not cached.
    if (columns.size > 0) cached = columns
    return columns
  }
}

/** Converts a value to a type that the drivers of the dialect accept as a parameter. */
function toBindable(value: unknown, dialect: SqlConnection["dialect"]): unknown {
  if (typeof value === "boolean" && dialect === "sqlite") return value ? 1 : 0
  // Binary values are not converted, because each driver accepts the binary type that it returns.
  if (ArrayBuffer.isView(value)) return value
  if (value instanceof Date) return dialect === "sqlite" ? value.toISOString() : value
  // Arrays and objects become JSON, because each driver would serialize them differently.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value
}

/** Returns the values of the user's fields for which the application added a column. Other fields are not stored. */
export async function applicationColumnValues(
  user: Partial<AdapterUser>,
  readUserColumns: ReadUserColumns,
  connection: SqlConnection,
): Promise<Record<string, unknown>> {
  const fields = pickApplicationFields(user)
  if (fields.length === 0) return {}
  const columns = await readUserColumns(connection)
  const kept = fields.filter(([field]) => columns.has(field))
  return Object.fromEntries(kept.map(([field, value]) => [field, toBindable(value, connection.dialect)]))
}
