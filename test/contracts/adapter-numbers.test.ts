import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import pg from "pg"
import { SqlAdapter } from "../../lib/adapters/sql.js"
import { isPackagedSqliteBuilt, packagedSqlite } from "../support/stores/raw.js"
import { mysql, postgres, type SqlStore, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

/** The stored 64-bit value, and the returned one: text if a number would lose precision. */
const NUMBERS: readonly (readonly [given: unknown, read: unknown])[] = [
  ["1234567890123456789", "1234567890123456789"],
  ["-1234567890123456789", "-1234567890123456789"],
  [9223372036854775807n, "9223372036854775807"],
  ["9007199254740993", "9007199254740993"],
  ["9007199254740992", "9007199254740992"],
  ["-9007199254740992", "-9007199254740992"],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ["1752000000000", 1_752_000_000_000],
  [42, 42],
  [-1, -1],
  [0, 0],
  [null, null],
]

/** Kysely instances whose drivers return `bigint` for such numbers. */
const WITH_BIGINTS: Readonly<Partial<Record<SqlStore["dialect"], (address: string) => Kysely<unknown>>>> = {
  ...(isPackagedSqliteBuilt() && {
    sqlite(address: string) {
      const database = new (packagedSqlite())(address)
      database.defaultSafeIntegers(true)
      return new Kysely({ dialect: new SqliteDialect({ database }) })
    },
  }),
  postgres(address) {
    const types = { getTypeParser: (id: number) => (id === 20 ? BigInt : pg.types.getTypeParser(id)) }
    const pool = new pg.Pool({ connectionString: address, types: types as pg.CustomTypesConfig })
    return new Kysely({ dialect: new PostgresDialect({ pool }) })
  },
  mysql(address) {
    const pool = createPool({
      uri: address,
      supportBigNumbers: true,
      bigNumberStrings: true,
      typeCast: (field, next) => {
        const text = field.type === "LONGLONG" ? field.string() : undefined
        return text === undefined ? next() : text && BigInt(text)
      },
    })
    return new Kysely({ dialect: new MysqlDialect({ pool }) })
  },
}

const inAnHour = () => new Date(Date.now() + 3_600_000)

for (const each of [sqlite, postgres, mysql])
  describeStore(`a custom column of 64-bit integers on ${each.name}`, each, (kind) => {
    let store: Awaited<ReturnType<typeof kind.create>>
    beforeAll(async () => {
      store = await kind.create()
      await store.database.raw.query("ALTER TABLE users ADD COLUMN discord_id BIGINT")
    })
    afterAll(() => store.close())

    /** Stores a number, and returns the value from each method that reads it. */
    async function readWithEveryMethod(given: unknown, adapter: SqlAdapter): Promise<unknown[]> {
      const [id, email] = [crypto.randomUUID(), `${crypto.randomUUID()}@example.test`]
      const own: object = { discord_id: given }
      const created = await adapter.createUser({ id, email, emailVerified: null, ...own })
      await adapter.createSession({ sessionToken: `t-${id}`, userId: id, expires: inAnHour() })
      await adapter.linkAccount({ userId: id, provider: "discord", providerAccountId: id, type: "oauth" })
      const users = [
        created,
        await adapter.getUser(id),
        await adapter.getUserByEmail(email),
        await adapter.getUserByAccount({ provider: "discord", providerAccountId: id }),
        (await adapter.getSessionAndUser(`t-${id}`))?.user,
        await adapter.updateUser({ id, name: "Ada" }),
      ]
      return users.map((user) => Reflect.get(Object(user), "discord_id"))
    }

    it.each(NUMBERS)("returns %p as %p", async (given, read) => {
      const { place } = store.database
      // An adapter reads the column types only once, and the store's adapter may have read them too early.
      const adapter = SqlAdapter(place)
      expect(await readWithEveryMethod(given, adapter)).toEqual([read, read, read, read, read, read])
      await adapter.close()
    })

    const own = WITH_BIGINTS[kind.dialect]
    ;(own ? it : it.skip)("returns the same values if the application's driver returns bigints", async () => {
      const db = own?.(store.database.address)
      const adapter = SqlAdapter({ db: db as Kysely<unknown>, dialect: kind.dialect })
      for (const [given, read] of NUMBERS) expect((await readWithEveryMethod(given, adapter)).at(0)).toBe(read)
      await db?.destroy()
    })

    it("returns dates unchanged", async () => {
      const [id, emailVerified] = [crypto.randomUUID(), new Date("2099-12-31T23:59:59.999Z")]
      await store.adapter.createUser({ id, email: `${id}@example.test`, emailVerified })
      expect((await store.adapter.getUser(id))?.emailVerified).toEqual(emailVerified)
    })
  })
