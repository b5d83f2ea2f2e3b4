import type { SqliteDatabase } from "kysely"
import mysql2 from "mysql2/promise"
import pg from "pg"

export type Row = Record<string, unknown>

/** Direct access to a database, without the adapter. */
export interface Raw {
  /** Runs a statement, or several without parameters. `?` is a parameter in every dialect. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

interface Sqlite {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
  close(): unknown
}

interface SqliteStatement {
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): unknown
}

/** The driver of Node.js if it exists. better-sqlite3 may be built for another version. */
function nodeSqlite(): (new (file: string) => Sqlite) | undefined {
  // The types are those of Node.js 20, which lacks the driver.
  const found = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: new (file: string) => Sqlite } | undefined
  return found?.DatabaseSync
}

interface PackagedSqlite extends SqliteDatabase, Sqlite {
  prepare(sql: string): ReturnType<SqliteDatabase["prepare"]> & SqliteStatement
  close(): void
  defaultSafeIntegers(isOn: boolean): unknown
}

/** The driver better-sqlite3. Loading it or opening a file throws if it was built for another version of Node.js. */
export const packagedSqlite = (): (new (file: string) => PackagedSqlite) => require("better-sqlite3")

/** True if better-sqlite3 works with this version of Node.js. */
export function isPackagedSqliteBuilt(): boolean {
  try {
    ;new (packagedSqlite())(":memory:").close()
    return true
  } catch {
    return false
  }
}

export function rawSqlite(file: string): Raw {
  const Database = nodeSqlite() ?? packagedSqlite()
  const db = new Database(file)
  db.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON")
  return {
    async query(sql, parameters) {
      try {
        if (/^\s*(select|explain|pragma)/i.test(sql)) return db.prepare(sql).all(...(parameters ?? [])) as Row[]
        if (parameters) db.prepare(sql).run(...parameters)
        else db.exec(sql)
        return []
      } catch (error) {
        // The driver's error class belongs to the first test file of the process: `instanceof Error` fails in later ones.
        throw new Error(String(Reflect.get(Object(error), "message")))
      }
    },
    close: async () => void db.close(),
  }
}

export async function rawPostgres(url: string): Promise<Raw> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async query(sql, parameters) {
      let index = 0
      const text = parameters ? sql.replace(/\?/g, () => `$${++index}`) : sql
      return (await client.query(text, parameters && [...parameters])).rows ?? []
    },
    close: () => client.end(),
  }
}

export async function rawMysql(url: string): Promise<Raw> {
  const connection = await mysql2.createConnection({ uri: url, multipleStatements: true })
  return {
    async query(sql, parameters) {
      const [rows] = await connection.query(sql, [...(parameters ?? [])])
      return Array.isArray(rows) ? (rows as Row[]) : []
    },
    close: () => connection.end(),
  }
}
