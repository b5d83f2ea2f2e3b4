/**
 * Columns that an application has added to the table of users.
 *
 * @module
 */
import type { AdapterUser } from "../adapter.js"
import { ownFieldsOf } from "./rows.js"
import { quoted } from "./schema.js"
import { run, type Store } from "./store.js"
import { partsOf } from "./tables.js"

/** Their names; asked of the database when a user first has a field that is not of the contract. */
export type OwnColumns = (store: Store) => Promise<ReadonlySet<string>>

const QUERIES = {
  sqlite: "SELECT name FROM pragma_table_info(?, ?)",
  postgres:
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
  mysql:
    "SELECT column_name AS name FROM information_schema.columns " +
    "WHERE table_name = ? AND table_schema = coalesce(?, database())",
} as const

/** The names of a table's columns. */
export async function readColumns(store: Store, name: string): Promise<ReadonlySet<string>> {
  const { dialect } = store
  const { table, schema } = partsOf(name)
  const parameters = dialect === "postgres" ? [quoted(name, dialect)] : [table, schema ?? mainSchema(dialect)]
  const { rows } = await run<{ name: string }>(store, QUERIES[dialect], parameters)
  return new Set(rows.map(({ name }) => name))
}

const mainSchema = (dialect: Store["dialect"]) => (dialect === "sqlite" ? "main" : null)

/** Reads the columns once; one that is added later is known after the next start. */
export function createOwnColumns(): OwnColumns {
  let known: ReadonlySet<string> | undefined
  return async (store) => {
    const columns = known ?? (await readColumns(store, store.names.users))
    // A table that is not there yet has none, and will have some.
    if (columns.size > 0) known = columns
    return columns
  }
}

/** A value as every driver takes it. */
function bindable(value: unknown, dialect: Store["dialect"]): unknown {
  if (typeof value === "boolean" && dialect === "sqlite") return value ? 1 : 0
  // As drivers give them.
  if (ArrayBuffer.isView(value)) return value
  if (value instanceof Date) return dialect === "sqlite" ? value.toISOString() : value
  // Among them arrays and objects, which drivers would write into a statement each in a way of its own.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value
}

/** What of a user's own fields has a column; the rest is not kept. */
export async function ownValues(
  user: Partial<AdapterUser>,
  ownColumns: OwnColumns,
  store: Store,
): Promise<Record<string, unknown>> {
  const fields = ownFieldsOf(user)
  if (fields.length === 0) return {}
  const columns = await ownColumns(store)
  const kept = fields.filter(([field]) => columns.has(field))
  return Object.fromEntries(kept.map(([field, value]) => [field, bindable(value, store.dialect)]))
}
