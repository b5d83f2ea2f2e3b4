/**
 * Columns that the application added to the users table.
 *
 * @module
 */

import { run } from "../../store/sql/connection.js"
import { quoted, splitName } from "../../store/sql/ddl.js"
import type { AdapterUser } from "../adapter.js"
import { pickOwnFields } from "./rows.js"
import type { SqlConnection } from "./tables.js"

/** Returns the names of the columns. They are read when a user first has a field that `AdapterUser` does not define. */
export type OwnColumns = (connection: SqlConnection) => Promise<ReadonlySet<string>>

const QUERIES = {
  sqlite: "SELECT name FROM pragma_table_info(?, ?)",
  postgres:
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
  mysql:
    "SELECT column_name AS name FROM information_schema.columns " +
    "WHERE table_name = ? AND table_schema = coalesce(?, database())",
} as const

/** The names of a table's columns. */
export async function readColumns(connection: SqlConnection, name: string): Promise<ReadonlySet<string>> {
  const { dialect } = connection
  const { table, schema } = splitName(name)
  const parameters = dialect === "postgres" ? [quoted(name, dialect)] : [table, schema ?? mainSchema(dialect)]
  const { rows } = await run<{ name: string }>(connection, QUERIES[dialect], parameters)
  return new Set(rows.map(({ name }) => name))
}

const mainSchema = (dialect: SqlConnection["dialect"]) => (dialect === "sqlite" ? "main" : null)

/** Reads the columns once. A column that is added later is used after a restart. */
export function createOwnColumns(): OwnColumns {
  let known: ReadonlySet<string> | undefined
  return async (connection) => {
    const columns = known ?? (await readColumns(connection, connection.names.users))
    // A missing table has no columns yet, so the result is not cached.
    if (columns.size > 0) known = columns
    return columns
  }
}

/** Converts a value to one that every driver accepts. */
function toBindable(value: unknown, dialect: SqlConnection["dialect"]): unknown {
  if (typeof value === "boolean" && dialect === "sqlite") return value ? 1 : 0
  // Drivers accept binary values as they return them.
  if (ArrayBuffer.isView(value)) return value
  if (value instanceof Date) return dialect === "sqlite" ? value.toISOString() : value
  // This includes arrays and objects, which each driver would serialize differently.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value
}

/** The user's additional fields that have a column. The others are not stored. */
export async function ownValues(
  user: Partial<AdapterUser>,
  ownColumns: OwnColumns,
  connection: SqlConnection,
): Promise<Record<string, unknown>> {
  const fields = pickOwnFields(user)
  if (fields.length === 0) return {}
  const columns = await ownColumns(connection)
  const kept = fields.filter(([field]) => columns.has(field))
  return Object.fromEntries(kept.map(([field, value]) => [field, toBindable(value, connection.dialect)]))
}
