/**
 * Where the queries go: a Kysely and what is known of its database.
 *
 * @module
 */
import type { CompiledQuery, Kysely, MysqlPool, PostgresPool, SqliteDatabase } from "kysely"
import { loadPeer } from "./load.js"
import { mysqlPool } from "./mysql.js"
import type { Place } from "./options.js"
import { postgresPool } from "./postgres.js"
import { sqliteDatabase } from "./sqlite.js"
import type { Dialect, Names, Tables } from "./tables.js"

export type KyselyModule = typeof import("kysely")

export interface Store {
  /** In a transaction, that of the transaction. */
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  readonly names: Names
  readonly kysely: KyselyModule
  readonly now: () => number
  /** What was compiled, by the function that builds it; of the database and of its transactions alike. */
  readonly compiled: Map<unknown, CompiledQuery>
}

/** A statement of ours that Kysely's builder has no words for. */
export const run = <Row>({ db, kysely }: Pick<Store, "db" | "kysely">, sql: string, parameters: unknown[] = []) =>
  db.executeQuery<Row>(kysely.CompiledQuery.raw(sql, parameters))

const DRIVERS = { sqlite: "better-sqlite3", postgres: "pg", mysql: "mysql2" } as const

type Opened = Pick<Store, "db" | "dialect" | "kysely"> & { readonly close: () => Promise<void> }

/** Makes a Kysely for a place, or takes the application's. Nothing is connected before the first statement. */
export function openPlace(place: Place): Opened {
  const driver = place.kind === "own" ? "" : ` ${DRIVERS[place.kind]}`
  // As the package exports it.
  const kysely = loadPeer("kysely", `kysely${driver}`) as KyselyModule
  if (place.kind === "own") {
    // What was checked to be a Kysely. Plugins of the application could rename our columns.
    const db = place.db.withoutPlugins() as Kysely<Tables>
    return { db, kysely, dialect: place.dialect, close: async () => {} }
  }
  const db = new kysely.Kysely<Tables>({ dialect: dialectOf(place, kysely) })
  return { db, kysely, dialect: place.kind, close: () => db.destroy() }
}

function dialectOf(place: Exclude<Place, { kind: "own" }>, kysely: KyselyModule) {
  // Drivers are looked for now, so that one that is missing is noticed when the application starts.
  switch (place.kind) {
    case "sqlite": {
      const database: () => Promise<SqliteDatabase> = sqliteDatabase(place.file)
      return new kysely.SqliteDialect({ database })
    }
    case "postgres": {
      const pool: PostgresPool = postgresPool(place.at)
      return new kysely.PostgresDialect({ pool })
    }
    case "mysql": {
      const pool: MysqlPool = mysqlPool(place.at)
      return new kysely.MysqlDialect({ pool })
    }
  }
}
