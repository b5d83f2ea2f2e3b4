/**
 * Stores users, accounts, sessions, links and passkeys in SQLite, PostgreSQL, MySQL or MariaDB, with Kysely.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import { openConnection } from "../store/sql/connection.js"
import { deleteExpiredRows, ExpiredRowCleaner } from "../store/sql/delete-expired.js"
import { addMigrationHint, retryWhileBusy } from "../store/sql/driver-errors.js"
import { type DatabaseOptions, isInMemory, resolveSqlTarget } from "../store/sql/options.js"
import { SqlRecords } from "../store/sql/records.js"
import { isWriteSuppressed } from "../store/sql/start-writes.js"
import type { BuiltInAdapter, ClearTextTokenAccess } from "./adapter.js"
import { listAccountsWithTokens, removeAccountTokens } from "./sql/account-tokens.js"
import { createSqlMethods, delegateAll, type SqlMethods } from "./sql/methods.js"
import { migrateTables, pendingVersions } from "./sql/migrate.js"
import { migrationScript } from "./sql/schema.js"
import { resolveTableNames, type SqlConnection, type TableNames, type Tables, VERSION_2_COLUMNS } from "./sql/tables.js"
import { Transactions } from "./sql/transactions.js"
import { createUserColumnsReader } from "./sql/user-columns.js"

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

/** Options of the SQL adapter: the database, and the names of the tables. */
export type SqlAdapterOptions = DatabaseOptions & {
  /** Table names that replace the default names. A name can include a schema: "auth.users". */
  tables?: Partial<TableNames> | undefined
}

/** An adapter for an SQL database. */
export interface SqlAdapter extends BuiltInAdapter, ClearTextTokenAccess {
  /** Returns an SQL script that creates the tables in an empty database, as `migrate` does. */
  migrationSql(): string
  /**
   * Returns the schema versions that `migrate` would apply; an empty array if the tables are up to date.
   *
   * @throws Error when the tables require a newer release of latchkey, or the database cannot be reached
   * @example
   * if ((await adapter.pendingMigrations()).length > 0) console.warn("run npx latchkey migrate")
   */
  pendingMigrations(): Promise<readonly number[]>
}

/**
 * Creates an adapter for an SQL database. The adapter connects when one of its methods is first called.
 *
 * Requires `kysely` and a driver: `pg`, `mysql2`, or `better-sqlite3` if this Node.js has no built-in SQLite.
 *
 * @throws TypeError when an option is invalid or empty; the message contains a valid example
 * @throws Error when a package is missing; the message contains the install command
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
  const target = resolveSqlTarget(options)
  const names = resolveTableNames(options.tables)
  const { close, ...opened } = openConnection<Tables>(target)
  const database: SqlConnection = { ...opened, names, now: options.now ?? Date.now, compiled: new Map() }
  const readUserColumns = createUserColumnsReader()
  const transactions = new Transactions(database, (connection) => createSqlMethods(connection, readUserColumns))
  const cleanUp = () => transactions.runOutside(() => deleteExpired(database))
  const cleaner = new ExpiredRowCleaner(cleanUp, database.now)

  /**
   * Runs the work, and adds the migration hint to its errors. With SQLite, retries while another connection writes to
   * the file. Does not retry within a transaction: if the adapter opened the connection, the transaction already holds
   * the write lock (BEGIN IMMEDIATE).
   */
  const withRetry = <T>(work: () => Promise<T>): Promise<T> =>
    withMigrationHint(() =>
      database.dialect === "sqlite" && !transactions.isInTransaction ? retryWhileBusy(work) : work(),
    )
  const withConnection = <T>(work: (connection: SqlConnection) => Promise<T>): Promise<T> =>
    withRetry(() => transactions.withConnection(work))
  const methods = delegateAll((work) => withRetry(() => transactions.call(work)))
  const records = new SqlRecords({
    table: names.store,
    dialect: database.dialect,
    withConnection,
    onWrite: () => cleaner.cleanIfDue(),
  })

  return {
    ...methods,
    ...withCleanup(cleaner, methods),
    listAccountsWithTokens: () => listAccountsWithTokens(withConnection),
    removeAccountTokens: (account) => withConnection((connection) => removeAccountTokens(account, connection)),
    // The records of an in-memory database are lost when the process ends.
    store: Object.assign(records, { durable: !isInMemory(target) }),
    transaction: (work) => withMigrationHint(() => transactions.run(work)),
    async migrate() {
      if (!isWriteSuppressed("adapter.migrate()"))
        await withMigrationHint(() => transactions.runOutside(() => migrateTables(database)))
    },
    migrationSql: () => migrationScript(database.dialect, names),
    pendingMigrations: () => withMigrationHint(() => transactions.runOutside(() => pendingVersions(database))),
    deleteExpired: () => withMigrationHint(() => (database.dialect === "sqlite" ? retryWhileBusy(cleanUp) : cleanUp())),
    async close() {
      await cleaner.close()
      await close()
    },
  }
}

/** Runs the work. If it fails because a table or a column is missing, the error explains how to migrate. */
const withMigrationHint = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => Promise.reject(addMigrationHint(error, VERSION_2_COLUMNS)))

/** Returns the methods that add expiring rows. Each call also starts a deletion of expired rows, if one is due. */
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

/** Deletes expired sessions, links and store records, and returns the number of deleted rows. */
async function deleteExpired(connection: SqlConnection): Promise<number> {
  const { sessions, verificationTokens, store } = connection.names
  const tables = [
    { name: sessions, key: ["token_hash"] },
    { name: verificationTokens, key: ["identifier", "token"] },
    { name: store, key: ["kind", "record_key"] },
  ]
  let total = 0
  for (const table of tables) total += await deleteExpiredRows(connection, table)
  return total
}
