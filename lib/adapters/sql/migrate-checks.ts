/**
 * What must hold before tables are made.
 *
 * @module
 */
import { readColumns } from "./own-columns.js"
import { quoted, type Version } from "./schema.js"
import { run, type Store } from "./store.js"
import { type Dialect, partsOf } from "./tables.js"

/** Refuses a server or a connection that could not keep what the tables promise. */
export async function requireServer(store: Store): Promise<void> {
  if (store.dialect === "mysql") await requireMysql(store)
  if (store.dialect === "sqlite") await requireForeignKeys(store)
}

/** Older ones have no collation that tells all texts apart, and would take the one that does not. */
async function requireMysql(store: Store): Promise<void> {
  const { rows } = await run<{ version: string }>(store, "SELECT version() AS version")
  const text = String(rows[0]?.version)
  const [major = 0, minor = 0, patch = 0] = text.split(/[.-]/).map(Number)
  const seen = major * 10_000 + minor * 100 + patch
  const isMaria = /mariadb/i.test(text)
  if (seen < (isMaria ? 100_500 : 80_017))
    throw new Error(`SqlAdapter needs MySQL 8.0.17 or MariaDB 10.5 at least; this server is ${text}`)
}

/**
 * The driver writes values into statements with backslashes. A server that takes those for text lets a visitor's value
 * end where they please, and go on as a statement. Connections that are opened here are set otherwise.
 */
export async function requireEscapes(store: Store): Promise<void> {
  if (store.dialect !== "mysql") return
  const { rows } = await run<{ modes: string }>(store, "SELECT @@SESSION.sql_mode AS modes")
  if (String(rows[0]?.modes).split(",").includes("NO_BACKSLASH_ESCAPES"))
    throw new Error(
      "SqlAdapter can't use connections with the mode NO_BACKSLASH_ESCAPES: mysql2 escapes with backslashes, and any " +
        "visitor could write statements. Take it out of sql_mode, of the server or of your connections",
    )
}

/** They are on in connections that are opened here; an application's own may have them off. */
async function requireForeignKeys(store: Store): Promise<void> {
  const { rows } = await run<{ foreign_keys: number }>(store, "PRAGMA foreign_keys")
  if (Number(rows[0]?.foreign_keys) !== 1)
    throw new Error('SqlAdapter needs foreign keys: run "PRAGMA foreign_keys = ON" when the connection is opened')
}

const FIND: Readonly<Record<Dialect, (name: string) => { readonly query: string; readonly parameters: unknown[] }>> = {
  sqlite: (name) => {
    const { schema = "main", table } = partsOf(name)
    const query = `SELECT name FROM ${quoted(`${schema}.sqlite_master`, "sqlite")} WHERE lower(name) = lower(?)`
    return { query, parameters: [table] }
  },
  postgres: (name) => ({
    query: "SELECT oid FROM pg_class WHERE oid = to_regclass($1)",
    parameters: [quoted(name, "postgres")],
  }),
  mysql: (name) => {
    const { schema = null, table } = partsOf(name)
    const query =
      "SELECT 1 AS found FROM information_schema.tables WHERE table_schema = coalesce(?, database()) AND table_name = ?"
    return { query, parameters: [schema, table] }
  },
}

/** A table of the same name that was there before is somebody else's. */
export async function requireFreeNames(store: Store): Promise<void> {
  for (const [key, name] of Object.entries(store.names)) {
    const { query, parameters } = FIND[store.dialect](name)
    const { rows } = await run(store, query, parameters)
    if (rows.length > 0)
      throw new Error(
        `there is a table ${name} already, and it is not of latchkey. ` +
          `Give another name: SqlAdapter({ …, tables: { ${key}: "auth_${partsOf(name).table}" } })`,
      )
  }
}

/** A column of the same name that was there before is the application's, and has whatever type it gave it. */
export async function requireFreeColumns(store: Store, { adds }: Version): Promise<void> {
  if (!adds) return
  const present = [...(await readColumns(store, adds.table))].map((name) => name.toLowerCase())
  for (const column of adds.columns)
    if (present.includes(column))
      throw new Error(
        `the table ${adds.table} has a column ${column} already, and it is not of latchkey. ` +
          "Rename that column, then migrate again",
      )
}
