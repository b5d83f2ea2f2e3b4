/**
 * Users, accounts, sessions, links and passkeys in SQLite, PostgreSQL, MySQL or MariaDB, by way of Kysely.
 *
 * @module
 */
import type { Awaitable } from "../types.js"
import type { OwnAdapter } from "./adapter.js"
import { whenFree, withHint } from "./sql/faults.js"
import { type StoreMethods, storeMethods, throughEach } from "./sql/methods.js"
import { migrateStore, pendingVersions } from "./sql/migrate.js"
import { placeOf, type SqlAdapterOptions } from "./sql/options.js"
import { createOwnColumns } from "./sql/own-columns.js"
import { migrationScript } from "./sql/schema.js"
import { isWithheld } from "./sql/start-writes.js"
import { openPlace, type Store } from "./sql/store.js"
import { Sweeper, sweepStore } from "./sql/sweep.js"
import { tableNames } from "./sql/tables.js"
import { Transactions } from "./sql/transactions.js"

export type {
  CommonSqlOptions,
  KyselyLike,
  MysqlPoolLike,
  PoolOptions,
  PostgresPoolLike,
  SqlAdapterOptions,
} from "./sql/options.js"
export type { Dialect, TableNames } from "./sql/tables.js"

/** A store in an SQL database. */
export interface SqlAdapter extends OwnAdapter {
  /** What `migrate` runs on an empty database, as a script. */
  migrationSql(): string
  /**
   * The versions of the tables that `migrate` would make now: none where everything is up to date.
   *
   * @throws Error when the tables are of a newer version of this package, or the database can't be reached
   * @example
   * if ((await adapter.pendingMigrations()).length > 0) console.warn("run npx latchkey migrate")
   */
  pendingMigrations(): Promise<readonly number[]>
}

/**
 * Makes an adapter that keeps everything in an SQL database. It connects with the first call.
 *
 * Needs `kysely` and the driver: `better-sqlite3` where Node.js has no SQLite of its own, `pg`, or `mysql2`.
 *
 * @throws TypeError that names the option and the line to write, when the options are wrong or empty
 * @throws Error that says what to install, when a package is missing
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
  const place = placeOf(options)
  const names = tableNames(options.tables)
  const { close, ...opened } = openPlace(place)
  const store: Store = { ...opened, names, now: options.now ?? Date.now, compiled: new Map() }
  const ownColumns = createOwnColumns()
  const transactions = new Transactions(store, (on) => storeMethods(on, ownColumns))
  const sweep = () => transactions.outside(() => sweepStore(store))
  const sweeper = new Sweeper(sweep, store.now)

  /** A call waits for other writers of an SQLite file, but not within a transaction: that one writes itself. */
  const call = (work: (methods: StoreMethods) => Promise<unknown>): Promise<unknown> => {
    const isAlone = store.dialect === "sqlite" && !transactions.isWithin
    return hinted(() => (isAlone ? whenFree(() => transactions.call(work)) : transactions.call(work)))
  }
  const methods = throughEach(call)

  return {
    ...methods,
    ...remindingOf(sweeper, methods),
    transaction: (work) => hinted(() => transactions.run(work)),
    async migrate() {
      if (!isWithheld("adapter.migrate()")) await hinted(() => transactions.outside(() => migrateStore(store)))
    },
    migrationSql: () => migrationScript(store.dialect, names),
    pendingMigrations: () => hinted(() => transactions.outside(() => pendingVersions(store))),
    sweep: () => hinted(() => (store.dialect === "sqlite" ? whenFree(sweep) : sweep())),
    async close() {
      await sweeper.close()
      await close()
    },
  }
}

const hinted = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => Promise.reject(withHint(error)))

/** What adds rows reminds of those that have ended. */
function remindingOf(sweeper: Sweeper, methods: StoreMethods): Pick<StoreMethods, Adding> {
  const reminding =
    <Given, Result>(add: (given: Given) => Awaitable<Result>) =>
    async (given: Given): Promise<Result> => {
      const added = await add(given)
      sweeper.remind()
      return added
    }
  return {
    createSession: reminding(methods.createSession),
    createVerificationToken: reminding(methods.createVerificationToken),
    claimOnce: reminding(methods.claimOnce),
  }
}

type Adding = "createSession" | "createVerificationToken" | "claimOnce"
