/**
 * A store in SQLite, PostgreSQL, MySQL or MariaDB, with Kysely.
 *
 * @module
 */
import { openConnection, run } from "./sql/connection.js"
import { createStoreTable, requireTableName } from "./sql/ddl.js"
import { deleteExpiredRows, ExpiredRowCleaner } from "./sql/delete-expired.js"
import { retryWhileBusy, withHint } from "./sql/driver-errors.js"
import { type DatabaseOptions, isInMemory, resolveConnection } from "./sql/options.js"
import { SqlRecords } from "./sql/records.js"
import { isSuppressed } from "./sql/start-writes.js"
import type { OwnStore } from "./store.js"

/** The database, as in `SqlAdapter`, and the name of the table. */
export type SqlStoreOptions = DatabaseOptions & {
  /** The name of the table, optionally with a schema. @default "store_records" */
  table?: string | undefined
}

/** A store in an SQL database. */
export interface OwnSqlStore extends OwnStore {
  /** The SQL script that `migrate` runs. */
  migrationSql(): string
}

/** The default name of the table. */
const STORE_TABLE = "store_records"

/**
 * Stores records in one table of an SQL database. It connects with the first call.
 *
 * `SqlAdapter` already has such a store. Use this one beside another adapter, or without an adapter. It requires
 * `kysely` and a driver: `pg`, `mysql2`, or `better-sqlite3` if this Node.js has no built-in SQLite.
 *
 * @throws TypeError with the option and its fix, when the options are invalid or empty
 * @throws Error with the install command, when a package is missing
 *
 * @example
 * import { SqlStore } from "latchkey/stores/sql"
 *
 * const store = SqlStore({ postgres: process.env.DATABASE_URL })
 * await store.migrate()
 * app.use(authMiddleware({ store, adapter: PrismaAdapter(prisma), providers: [GitHub] }))
 */
export function SqlStore(options: SqlStoreOptions): OwnSqlStore {
  const { table = STORE_TABLE, now = Date.now } = options
  const target = resolveConnection(options, "SqlStore")
  requireTableName(table, "SqlStore: table")
  const { close, ...opened } = openConnection(target)
  const { dialect } = opened
  const connection = { ...opened, now }
  /** Runs a call. With SQLite, it waits while another process writes. */
  const withConnection = <T>(work: (on: typeof connection) => Promise<T>): Promise<T> =>
    (dialect === "sqlite" ? retryWhileBusy(() => work(connection)) : work(connection)).catch((error: unknown) =>
      Promise.reject(withHint(error)),
    )
  const deleteExpired = () =>
    withConnection((on) => deleteExpiredRows(on, { name: table, key: ["kind", "record_key"] }))
  const cleaner = new ExpiredRowCleaner(deleteExpired, connection.now)
  const records = new SqlRecords({ table, dialect, withConnection, onWrite: () => cleaner.cleanIfDue() })
  return Object.assign(records, {
    // A database in memory ends with the process.
    durable: !isInMemory(target),
    async migrate() {
      if (isSuppressed("store.migrate()")) return
      for (const statement of createStoreTable(dialect, table)) await withConnection((on) => run(on, statement))
    },
    migrationSql: () =>
      createStoreTable(dialect, table)
        .map((statement) => `${statement};\n`)
        .join("\n"),
    deleteExpired,
    async close() {
      await cleaner.close()
      await close()
    },
  })
}
