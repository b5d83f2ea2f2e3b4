/**
 * A store in SQLite, PostgreSQL, MySQL or MariaDB, with Kysely.
 *
 * @module
 */
import { executeSql, openConnection } from "./sql/connection.js"
import { createStoreTableSql, requireTableName } from "./sql/ddl.js"
import { deleteExpiredRows, ExpiredRowCleaner } from "./sql/delete-expired.js"
import { addMigrationHint, retryWhileBusy } from "./sql/driver-errors.js"
import { type DatabaseOptions, isInMemory, resolveSqlTarget } from "./sql/options.js"
import { SqlRecords } from "./sql/records.js"
import { isWriteSuppressed } from "./sql/start-writes.js"
import type { OwnStore } from "./store.js"

/** Selects the database, as in `SqlAdapter`, and the table. */
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
 * Creates a store in one table of an SQL database. It connects at the first call.
 *
 * `SqlAdapter` already contains such a store. Use `SqlStore` with another adapter, or without an adapter. It requires
 * `kysely` and a driver: `pg`, `mysql2`, or `better-sqlite3` if this Node.js has no built-in SQLite.
 *
 * @throws TypeError with the option and its fix, if the options are invalid or empty
 * @throws Error with the install command, if a package is missing
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
  const target = resolveSqlTarget(options, "SqlStore")
  requireTableName(table, "SqlStore: table")
  const { close, ...opened } = openConnection(target)
  const { dialect } = opened
  const connection = { ...opened, now }
  /** Runs `work` on the connection. With SQLite, runs it again while another connection writes. */
  const withConnection = <T>(work: (conn: typeof connection) => Promise<T>): Promise<T> =>
    (dialect === "sqlite" ? retryWhileBusy(() => work(connection)) : work(connection)).catch((error: unknown) =>
      Promise.reject(addMigrationHint(error)),
    )
  const deleteExpired = () =>
    withConnection((conn) => deleteExpiredRows(conn, { name: table, key: ["kind", "record_key"] }))
  const cleaner = new ExpiredRowCleaner(deleteExpired, connection.now)
  const records = new SqlRecords({ table, dialect, withConnection, onWrite: () => cleaner.cleanIfDue() })
  return Object.assign(records, {
    // The records of a database in memory are lost when the process ends.
    durable: !isInMemory(target),
    async migrate() {
      if (isWriteSuppressed("store.migrate()")) return
      for (const statement of createStoreTableSql(dialect, table))
        await withConnection((conn) => executeSql(conn, statement))
    },
    migrationSql: () =>
      createStoreTableSql(dialect, table)
        .map((statement) => `${statement};\n`)
        .join("\n"),
    deleteExpired,
    async close() {
      await cleaner.close()
      await close()
    },
  })
}
