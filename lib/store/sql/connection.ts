/**
 * Opens a database with Kysely.
 *
 * @module
 */
import type { CompiledQuery, Kysely, MysqlPool, PostgresPool, QueryResult, SqliteDatabase } from "kysely"
import type { Dialect } from "./ddl.js"
import { loadPeer } from "./load.js"
import { mysqlPool } from "./mysql.js"
import type { SqlTarget } from "./options.js"
import { postgresPool } from "./postgres.js"
import { sqliteDatabase } from "./sqlite.js"

export type KyselyModule = typeof import("kysely")

/** A Kysely instance or transaction, which runs SQL statements. It may have any table types. */
export interface Executor {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>
}

/** The members of a Kysely instance that do not depend on its table types. */
export interface Database extends Executor {
  readonly isTransaction: boolean
}

/** A Kysely instance, or within a transaction the transaction, and the properties of its database. */
export interface Connection<Db extends Executor = Database> {
  readonly db: Db
  readonly dialect: Dialect
  readonly kysely: KyselyModule
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
}

/** Runs SQL text, for statements that Kysely's query builder can't express. */
export const executeSql = <Row>(
  { db, kysely }: Pick<Connection<Executor>, "db" | "kysely">,
  sql: string,
  parameters: unknown[] = [],
) => db.executeQuery<Row>(kysely.CompiledQuery.raw(sql, parameters))

const DRIVERS = { sqlite: "better-sqlite3", postgres: "pg", mysql: "mysql2" } as const

interface OpenedConnection<Tables> extends Omit<Connection<Kysely<Tables>>, "now"> {
  readonly close: () => Promise<void>
}

/**
 * Creates a Kysely instance for the database, or uses the application's instance. It connects at the first statement.
 */
export function openConnection<Tables = unknown>(target: SqlTarget): OpenedConnection<Tables> {
  const driver = target.kind === "own" ? "" : ` ${DRIVERS[target.kind]}`
  // `loadPeer` returns `unknown`; the package "kysely" exports these members.
  const kysely = loadPeer("kysely", `kysely${driver}`) as KyselyModule
  if (target.kind === "own") {
    // `resolveSqlTarget` has checked that this is a Kysely instance. Its plugins are removed, because they could
    // rename columns.
    const db = target.db.withoutPlugins() as Kysely<Tables>
    return { db, kysely, dialect: target.dialect, close: async () => {} }
  }
  const db = new kysely.Kysely<Tables>({ dialect: createDialect(target, kysely) })
  return { db, kysely, dialect: target.kind, close: () => db.destroy() }
}

function createDialect(target: Exclude<SqlTarget, { kind: "own" }>, kysely: KyselyModule) {
  // The driver is loaded here, not at the first statement, so that a missing package is reported at start-up.
  switch (target.kind) {
    case "sqlite": {
      const database: () => Promise<SqliteDatabase> = sqliteDatabase(target.file)
      return new kysely.SqliteDialect({ database })
    }
    case "postgres": {
      const pool: PostgresPool = postgresPool(target.source)
      return new kysely.PostgresDialect({ pool })
    }
    case "mysql": {
      const pool: MysqlPool = mysqlPool(target.source)
      return new kysely.MysqlDialect({ pool })
    }
  }
}
