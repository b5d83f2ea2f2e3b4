import { CamelCasePlugin, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import pg from "pg"
import { SqlAdapter } from "../../lib/adapters/sql.js"
import { testAdapter } from "../../lib/adapters/testing.js"
import { isPackagedSqliteBuilt, packagedSqlite } from "../support/stores/raw.js"
import { type Database, dumpOf, mysql, postgres, type SqlStore, sqlite } from "../support/stores/sql.js"
import { describeStore, type OpenStore } from "../support/stores.js"

/** One store is enough, because every test has its own users and addresses. */
function testAll(create: () => Promise<OpenStore>): void {
  let opened: OpenStore | undefined
  beforeAll(async () => {
    opened = await create()
  })
  afterAll(() => opened?.close())

  testAdapter(it, {
    complete: true,
    passkeys: true,
    create() {
      if (!opened) throw new Error("the store was not created")
      return { adapter: opened.adapter, dump: opened.dump }
    },
  })
}

for (const each of [sqlite, postgres, mysql])
  describeStore(`SqlAdapter on ${each.name}`, each, (store) => testAll(() => store.create()))

/** Custom Kysely instances whose settings change the results of a driver: column names, numbers and dates. */
const CUSTOM_KYSELY: Readonly<Record<SqlStore["dialect"], (address: string) => Kysely<unknown>>> = {
  sqlite(address) {
    const database = new (packagedSqlite())(address)
    // Returns every integer as bigint.
    database.defaultSafeIntegers(true)
    return new Kysely({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] })
  },
  postgres(address) {
    const types = { getTypeParser: (id: number) => (id === 20 ? BigInt : pg.types.getTypeParser(id)) }
    const pool = new pg.Pool({ connectionString: address, types: types as pg.CustomTypesConfig })
    return new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  },
  mysql(address) {
    const settings = { supportBigNumbers: true, bigNumberStrings: true, dateStrings: true, timezone: "+05:30" }
    const pool = createPool({ uri: address, ...settings, flags: ["-FOUND_ROWS"] })
    return new Kysely({ dialect: new MysqlDialect({ pool }), plugins: [new CamelCasePlugin()] })
  },
}

for (const each of [sqlite, postgres, mysql]) {
  // better-sqlite3 is built for one version of Node.js only. The other versions have a built-in driver.
  if (each.dialect === "sqlite" && !isPackagedSqliteBuilt()) {
    console.warn("SKIPPED: an application's own Kysely on SQLite: better-sqlite3 is not built for this Node.js")
    continue
  }
  describeStore(`SqlAdapter with a custom Kysely on ${each.name}`, each, ({ dialect, createDatabase }) =>
    testAll(async () => {
      const database = await createDatabase()
      const db = CUSTOM_KYSELY[dialect](database.address)
      const adapter = SqlAdapter({ db, dialect })
      await adapter.migrate()
      const close = async () => {
        await adapter.close()
        // The adapter does not close the application's Kysely instance.
        await db.destroy()
        await database.drop()
      }
      return { ...storeOf(database), adapter, close }
    }),
  )
}

const OTHER_NAMES = {
  users: "members",
  accounts: "member_accounts",
  sessions: "Sessions2",
  verificationTokens: "sent_links",
  authenticators: "passkeys",
  store: "app_store",
}

describeStore("SqlAdapter with other table names in another schema of PostgreSQL", postgres, ({ createDatabase }) =>
  testAll(async () => {
    const database = await createDatabase()
    const [row] = await database.raw.query("SELECT current_schema() AS schema")
    const entries = Object.entries(OTHER_NAMES).map(([key, name]) => [key, `${row?.["schema"]}.${name}`])
    const tables = Object.fromEntries(entries)
    const address = database.address.replace(/\?.*$/, "")
    const adapter = SqlAdapter({ postgres: address, tables })
    await adapter.migrate()
    const close = async () => {
      await adapter.close()
      await database.drop()
    }
    const quoted = Object.fromEntries(entries.map(([key, name]) => [key, `${name?.replace(/(\w+)$/, '"$1"')}`]))
    return { ...storeOf(database), dump: () => dumpOf(database, quoted as typeof OTHER_NAMES), adapter, close }
  }),
)

const storeOf = (database: Database) => ({ dump: () => dumpOf(database), counts: () => Promise.reject() })
