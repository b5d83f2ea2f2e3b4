import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TableNames } from "../../../lib/adapters/sql.js"
import { SqlAdapter } from "../../../lib/adapters/sql.js"
import { type Raw, rawMysql, rawPostgres, rawSqlite } from "./raw.js"
import { type OpenStore, type Store, uniqueName } from "./store.js"

const { TEST_POSTGRES_URL, TEST_MYSQL_URL } = process.env

type Place = { sqlite: string } | { postgres: string } | { mysql: string }

/** A new empty database. */
export interface Database {
  readonly place: Place
  /** The file or URL in `place`. */
  readonly address: string
  readonly raw: Raw
  /** Deletes the database. */
  drop(): Promise<void>
}

export interface SqlStore extends Store {
  readonly dialect: "sqlite" | "postgres" | "mysql"
  createDatabase(): Promise<Database>
  create(options?: { now?: () => number }): Promise<OpenStore & { readonly database: Database }>
}

export const TABLES: TableNames = {
  users: "users",
  accounts: "accounts",
  sessions: "sessions",
  verificationTokens: "verification_tokens",
  authenticators: "authenticators",
  store: "store_records",
}

/** Everything in the tables as text. */
export async function dumpOf({ raw }: Pick<Database, "raw">, tables: TableNames = TABLES): Promise<string> {
  const rows: unknown[] = []
  for (const table of Object.values(tables)) rows.push({ table }, ...(await raw.query(`SELECT * FROM ${table}`)))
  return JSON.stringify(rows)
}

async function countIn({ raw }: Database, table: string, condition = ""): Promise<number> {
  const [row] = await raw.query(`SELECT count(*) AS count FROM ${table} ${condition}`)
  return Number(row?.["count"])
}

const sqlStore = (store: Omit<SqlStore, "create">): SqlStore => ({
  ...store,
  async create(options) {
    const database = await store.createDatabase()
    const adapter = SqlAdapter({ ...database.place, ...options })
    await adapter.migrate()
    return {
      adapter,
      database,
      dump: () => dumpOf(database),
      counts: async () => ({
        users: await countIn(database, TABLES.users),
        accounts: await countIn(database, TABLES.accounts),
        sessions: await countIn(database, TABLES.sessions),
        links: await countIn(database, TABLES.verificationTokens),
      }),
      async close() {
        await adapter.close()
        await database.drop()
      },
    }
  },
})

/** SQLite in a file, with the driver of this version of Node.js. */
export const sqlite = sqlStore({
  name: "SQLite",
  dialect: "sqlite",
  async createDatabase() {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-sqlite-"))
    const address = join(folder, "auth.db")
    const raw = rawSqlite(address)
    return {
      place: { sqlite: address },
      address,
      raw,
      async drop() {
        await raw.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
})

export const postgresUrl = TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/test"

/** PostgreSQL in a new schema. */
export const postgres = sqlStore({
  name: "PostgreSQL",
  url: postgresUrl,
  dialect: "postgres",
  async createDatabase() {
    const schema = uniqueName()
    const url = new URL(postgresUrl)
    url.searchParams.set("options", `-c search_path=${schema}`)
    const raw = await rawPostgres(url.href)
    await raw.query(`CREATE SCHEMA ${schema}`)
    return {
      place: { postgres: url.href },
      address: url.href,
      raw,
      async drop() {
        await raw.query(`DROP SCHEMA ${schema} CASCADE`)
        await raw.close()
      },
    }
  },
})

export const mysqlUrl = TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/test"

/** MariaDB or MySQL, depending on `TEST_MYSQL_URL`, in a new database. */
export const mysql = sqlStore({
  name: "MariaDB",
  url: mysqlUrl,
  dialect: "mysql",
  async createDatabase() {
    const name = uniqueName()
    const server = await rawMysql(mysqlUrl)
    // The adapter must not depend on the default character set and collation.
    await server.query(`CREATE DATABASE ${name} CHARACTER SET latin1 COLLATE latin1_swedish_ci`)
    await server.close()
    const url = new URL(mysqlUrl)
    url.pathname = `/${name}`
    const raw = await rawMysql(url.href)
    return {
      place: { mysql: url.href },
      address: url.href,
      raw,
      async drop() {
        await raw.query(`DROP DATABASE ${name}`)
        await raw.close()
      },
    }
  },
})
