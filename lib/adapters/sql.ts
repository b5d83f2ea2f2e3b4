/**
 * Stores users, accounts, sessions, links and passkeys in SQLite, PostgreSQL, MySQL or MariaDB, with Kysely.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import { openConnection } from "../store/sql/connection.js"
import { deleteExpiredRows, ExpiredRowCleaner } from "../store/sql/delete-expired.js"
import { retryWhileBusy, withHint } from "../store/sql/driver-errors.js"
import { type DatabaseOptions, isInMemory, resolveConnection } from "../store/sql/options.js"
import { SqlRecords } from "../store/sql/records.js"
import { isSuppressed } from "../store/sql/start-writes.js"
import type { ClearTextTokens, OwnAdapter } from "./adapter.js"
import { listAccountsWithTokens, removeAccountTokens } from "./sql/account-tokens.js"
import { createSqlMethods, delegateAll, type SqlMethods } from "./sql/methods.js"
import { migrateTables, pendingVersions } from "./sql/migrate.js"
import { createOwnColumns } from "./sql/own-columns.js"
import { migrationScript } from "./sql/schema.js"
import { ADDED_COLUMNS, type SqlConnection, type TableNames, type Tables, tableNames } from "./sql/tables.js"
import { Transactions } from "./sql/transactions.js"

export type { Dialect } from "../store/sql/ddl.js"
export type {
  CommonSqlOptions,
  DatabaseOptions,
  KyselyLike,
  MysqlPoolLike,
  PoolOptions,
  PostgresPoolLike,
} from "../store/sql/options.js"
export type { TableNames } from "./sql/tables.js"

/** The database, and the names of its tables. */
export type SqlAdapterOptions = DatabaseOptions & {
  /** Table names that replace the defaults, optionally with a schema. */
  tables?: Partial<TableNames> | undefined
}

/** An adapter for an SQL database. */
export interface SqlAdapter extends OwnAdapter, ClearTextTokens {
  /** The SQL script that `migrate` runs on an empty database. */
  migrationSql(): string
  /**
   * The pending schema versions that `migrate` would apply; empty if the schema is up to date.
   *
   * @throws Error when the tables are of a newer version of this package, or the database can't be reached
   * @example
   * if ((await adapter.pendingMigrations()).length > 0) console.warn("run npx latchkey migrate")
   */
  pendingMigrations(): Promise<readonly number[]>
}

/**
 * Creates an adapter for an SQL database. It connects with the first call.
 *
 * Requires `kysely` and a driver: `pg`, `mysql2`, or `better-sqlite3` if this Node.js has no built-in SQLite.
 *
 * @throws TypeError with the option and its fix, when the options are invalid or empty
 * @throws Error with the install command, when a package is missing
 *
 * @example
 * import { SqlAdapter } from "latchkey/adapters/sql"
 *
 * const adapter = SqlAdapter({ sqlite: "auth.db" })
 * await adapter.migrate()
 * app.use(authMiddleware({ adapter, providers: [GitHub] }))
 *
 * @example
 * SqlAdapter({ postgres: process.env.DATABASE_URL })
 * SqlAdapter({ mysql: process.env.DATABASE_URL, tables: { users: "members" } })
 * SqlAdapter({ db: kysely, dialect: "postgres" })
 */
export function SqlAdapter(options: SqlAdapterOptions): SqlAdapter {
  const connection = resolveConnection(options)
  const names = tableNames(options.tables)
  const { close, ...opened } = openConnection<Tables>(connection)
  const store: SqlConnection = { ...opened, names, now: options.now ?? Date.now, compiled: new Map() }
  const ownColumns = createOwnColumns()
  const transactions = new Transactions(store, (on) => createSqlMethods(on, ownColumns))
  const cleanUp = () => transactions.outside(() => deleteExpired(store))
  const cleaner = new ExpiredRowCleaner(cleanUp, store.now)

  /** Waits for other writers of an SQLite file, except within a transaction, which holds the write lock. */
  const retrying = <T>(work: () => Promise<T>): Promise<T> =>
    withMigrationHint(() => (store.dialect === "sqlite" && !transactions.isWithin ? retryWhileBusy(work) : work()))
  const withConnection = <T>(work: (connection: SqlConnection) => Promise<T>): Promise<T> =>
    retrying(() => transactions.on(work))
  const methods = delegateAll((work) => retrying(() => transactions.call(work)))
  const records = new SqlRecords({
    table: names.store,
    dialect: store.dialect,
    withConnection,
    onWrite: () => cleaner.cleanIfDue(),
  })

  return {
    ...methods,
    ...withCleanup(cleaner, methods),
    listAccountsWithTokens: () => listAccountsWithTokens(withConnection),
    removeAccountTokens: (account) => withConnection((connection) => removeAccountTokens(account, connection)),
    // A database in memory ends with the process.
    store: Object.assign(records, { durable: !isInMemory(connection) }),
    transaction: (work) => withMigrationHint(() => transactions.run(work)),
    async migrate() {
      if (!isSuppressed("adapter.migrate()"))
        await withMigrationHint(() => transactions.outside(() => migrateTables(store)))
    },
    migrationSql: () => migrationScript(store.dialect, names),
    pendingMigrations: () => withMigrationHint(() => transactions.outside(() => pendingVersions(store))),
    deleteExpired: () => withMigrationHint(() => (store.dialect === "sqlite" ? retryWhileBusy(cleanUp) : cleanUp())),
    async close() {
      await cleaner.close()
      await close()
    },
  }
}

const withMigrationHint = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => Promise.reject(withHint(error, ADDED_COLUMNS)))

/** Methods that add rows also trigger the deletion of expired rows. */
function withCleanup(cleaner: ExpiredRowCleaner, methods: SqlMethods): Pick<SqlMethods, AddingMethod> {
  const withCleanupAfter =
    <Given, Result>(add: (given: Given) => Awaitable<Result>) =>
    async (given: Given): Promise<Result> => {
      const added = await add(given)
      cleaner.cleanIfDue()
      return added
    }
  return {
    createSession: withCleanupAfter(methods.createSession),
    createVerificationToken: withCleanupAfter(methods.createVerificationToken),
  }
}

type AddingMethod = "createSession" | "createVerificationToken"

/** Deletes expired sessions, links and records of the store, and returns their number. */
async function deleteExpired(store: SqlConnection): Promise<number> {
  const { sessions, verificationTokens, store: records } = store.names
  const tables = [
    { name: sessions, key: ["token_hash"] },
    { name: verificationTokens, key: ["identifier", "token"] },
    { name: records, key: ["kind", "record_key"] },
  ]
  let total = 0
  for (const table of tables) total += await deleteExpiredRows(store, table)
  return total
}
