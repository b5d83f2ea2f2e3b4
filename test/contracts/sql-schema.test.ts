import { createHash } from "node:crypto"
import { type CompiledQuery, Kysely, type LogEvent, MysqlDialect, PostgresDialect, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import { Pool } from "pg"
import type { AdapterAccount } from "../../lib/adapters/adapter.js"
import { SqlAdapter } from "../../lib/adapters/sql.js"
import { isPackagedSqliteBuilt, packagedSqlite, type Row } from "../support/stores/raw.js"
import { type Database, mysql, postgres, sqlite, TABLES } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

/** True if MySQL reads rows by a key, or has found while planning that the key does not exist. */
const isKeyed = ({ type, Extra }: Row): boolean =>
  ["const", "eq_ref", "ref", "range"].includes(String(type)) || /after reading const tables/.test(String(Extra))

/** A Kysely instance that records its statements. */
function createRecordingKysely(dialect: string, address: string, log: (event: LogEvent) => void): Kysely<unknown> {
  if (dialect === "postgres")
    return new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: address }) }), log })
  if (dialect === "mysql") return new Kysely({ dialect: new MysqlDialect({ pool: createPool(address) }), log })
  const database = new (packagedSqlite())(address)
  return new Kysely({ dialect: new SqliteDialect({ database }), log })
}

const inAnHour = () => new Date(Date.now() + 3_600_000)

for (const each of [sqlite, postgres, mysql])
  describeStore(`the tables on ${each.name}`, each, ({ dialect, create }) => {
    let adapter: SqlAdapter
    let database: Database
    let close: () => Promise<void>

    beforeAll(async () => {
      const opened = await create()
      database = opened.database
      close = opened.close
      adapter = SqlAdapter(database.place)
    })
    afterAll(async () => {
      await adapter.close()
      await close()
    })

    const rows = (sql: string, parameters: unknown[] = []): Promise<Row[]> => database.raw.query(sql, parameters)

    async function newUser(own: object = {}) {
      const id = crypto.randomUUID()
      return await adapter.createUser({ id, email: `${id}@example.test`, emailVerified: null, ...own })
    }

    it("store the hash of a session's token and not the token (SES-09)", async () => {
      const user = await newUser()
      const sessionToken = crypto.randomUUID()
      await adapter.createSession({ sessionToken, userId: user.id, expires: inAnHour() })
      const hash = createHash("sha256").update(sessionToken).digest("hex")
      expect(await rows("SELECT token_hash FROM sessions WHERE user_id = ?", [user.id])).toEqual([{ token_hash: hash }])
      // The stored value is not a valid token.
      expect(await adapter.getSessionAndUser(hash)).toBeNull()
    })

    it("delete a user's rows with the user", async () => {
      const { id: userId } = await newUser()
      await adapter.linkAccount({ userId, provider: "github", providerAccountId: userId, type: "oauth" })
      await adapter.createSession({ sessionToken: crypto.randomUUID(), userId, expires: inAnHour() })
      await adapter.createAuthenticator({
        userId,
        providerAccountId: userId,
        credentialID: userId,
        credentialPublicKey: "a2V5",
        counter: 0,
        credentialBackedUp: false,
        credentialDeviceType: "singleDevice",
      })
      const left = async () => {
        let count = 0
        for (const table of [TABLES.accounts, TABLES.sessions, TABLES.authenticators])
          count += (await rows(`SELECT user_id FROM ${table} WHERE user_id = ?`, [userId])).length
        return count
      }
      expect(await left()).toBe(3)
      await rows("DELETE FROM users WHERE id = ?", [userId])
      expect(await left()).toBe(0)
    })

    it("reject a row of a missing user and a second user with the same address", async () => {
      const { email } = await newUser()
      await expect(rows("INSERT INTO sessions VALUES ('h', 'nobody', 1)")).rejects.toThrow(/foreign key/i)
      await expect(rows("INSERT INTO users (id, email) VALUES ('other', ?)", [email])).rejects.toThrow(
        /unique|duplicate/i,
      )
    })

    it("store additional members of an account", async () => {
      const { id: userId } = await newUser()
      const account = {
        userId,
        provider: "own",
        providerAccountId: userId,
        type: "oidc",
        access_token: "a",
        token_type: "bearer",
        expires_at: 2_592_000,
        expires_in: 3_600,
        authorization_details: [{ type: "payment", locations: ["here"] }],
        tenant: "müller 🦊",
        // Types that the columns do not have.
        session_state: { nested: true },
      } as unknown as AdapterAccount
      await adapter.linkAccount(account)
      expect(await adapter.getAccount(userId, "own")).toEqual(account)
      const [row] = await rows("SELECT * FROM accounts WHERE provider = 'own'")
      expect(row).toMatchObject({ access_token: "a", session_state: null })
      expect(JSON.parse(String(row?.["extra"]))).toEqual({
        expires_in: 3_600,
        authorization_details: [{ type: "payment", locations: ["here"] }],
        tenant: "müller 🦊",
        session_state: { nested: true },
      })
    })

    it("can have custom columns on users, which profile() may fill", async () => {
      for (const column of ["plan VARCHAR(20)", "is_admin SMALLINT", "settings VARCHAR(99)"])
        await rows(`ALTER TABLE users ADD COLUMN ${column}`)
      const before = await newUser()
      expect(before).toMatchObject({ plan: null })
      // Simulates a restart of the application.
      const restarted = SqlAdapter(database.place)
      const id = crypto.randomUUID()
      const created = await restarted.createUser({
        id,
        email: `${id}@example.test`,
        emailVerified: null,
        // The cast is needed because the test types add members to User.
        ...({ plan: "editor", settings: { a: [1] }, is_admin: 1, nowhere: "not kept", email_verified: true } as object),
      })
      const own = { plan: "editor", settings: '{"a":[1]}', is_admin: 1 }
      expect(created).toEqual({ id, email: `${id}@example.test`, emailVerified: null, name: null, image: null, ...own })
      await restarted.createSession({ sessionToken: `t-${id}`, userId: id, expires: inAnHour() })
      expect((await restarted.getSessionAndUser(`t-${id}`))?.user).toEqual(created)
      const updated = await restarted.updateUser({ id, ...({ plan: "reader" } as object) })
      expect(updated).toEqual({ ...created, plan: "reader" })
      await restarted.close()
    })

    it("can have a binary column, which is unchanged when a user is written back", async () => {
      await rows(`ALTER TABLE users ADD COLUMN picture ${dialect === "postgres" ? "BYTEA" : "BLOB"}`)
      const restarted = SqlAdapter(database.place)
      const id = crypto.randomUUID()
      const picture = Buffer.from([0, 255, 39, 92])
      const given = { id, email: `${id}@example.test`, emailVerified: null, ...({ picture } as object) }
      const created = await restarted.createUser(given)
      const written = await restarted.updateUser({ ...created, name: "Ada" })
      expect(Buffer.from(Reflect.get(written, "picture"))).toEqual(picture)
      await restarted.close()
      await rows("ALTER TABLE users DROP COLUMN picture")
    })

    it("can change at run time: each read returns the current columns", async () => {
      const { id: userId } = await newUser()
      const [sessionToken, expires] = [`changes-${userId}`, inAnHour()]
      await adapter.createSession({ sessionToken, userId, expires })
      const changes = [
        ["SELECT 1", false],
        ["ALTER TABLE users ADD COLUMN nickname VARCHAR(20)", true],
        ["ALTER TABLE users DROP COLUMN nickname", false],
      ] as const
      for (const [statement, isThere] of changes) {
        await rows(statement)
        const found = await adapter.getSessionAndUser(sessionToken)
        expect(found?.session).toEqual({ sessionToken, userId, expires })
        expect(found && "nickname" in found.user).toBe(isThere)
        expect("nickname" in ((await adapter.getUser(userId)) ?? {})).toBe(isThere)
      }
    })

    it("accept the longest ids and addresses and reject longer ones instead of truncating them", async () => {
      const email = `${"e".repeat(242)}@example.test`
      const { id: userId } = await newUser({ email })
      expect((await adapter.getUserByEmail(email))?.id).toBe(userId)
      const longest = { userId, provider: "p".repeat(128), providerAccountId: "i".repeat(640), type: "oauth" } as const
      await adapter.linkAccount(longest)
      expect(await adapter.getAccount(longest.providerAccountId, longest.provider)).toEqual(longest)
      if (dialect !== "mysql") return
      const tooLong = { ...longest, providerAccountId: `${"i".repeat(641)}` }
      await expect(adapter.linkAccount(tooLong)).rejects.toThrow(/too long/i)
      await expect(newUser({ email: `e${"e".repeat(244)}@example.test` })).rejects.toThrow(/too long/i)
    })

    describe("with many rows", () => {
      const COUNT = 3_000
      const isMissing = dialect === "sqlite" && !isPackagedSqliteBuilt()
      if (isMissing) console.warn("SKIPPED: plans of SQLite: better-sqlite3 is not built for this Node.js")

      beforeAll(async () => {
        const ids = Array.from({ length: COUNT }, (_, index) => `many-${index}`)
        const insert = (table: string, row: (id: string) => string) =>
          rows(`INSERT INTO ${table} VALUES ${ids.map((id) => `(${row(id)})`).join(", ")}`)
        await rows(`INSERT INTO users (id, email) VALUES ${ids.map((id) => `('${id}', '${id}@m.test')`).join(", ")}`)
        await rows(
          `INSERT INTO accounts (provider, provider_account_id, user_id, type) VALUES ${ids.map((id) => `('p', '${id}', '${id}', 'oidc')`).join(", ")}`,
        )
        await insert("sessions", (id) => `'${id}', '${id}', 9999999999999`)
        await insert("verification_tokens", (id) => `'${id}@m.test', '${id}', 9999999999999`)
        await insert("authenticators", (id) => `'${id}', '${id}', '${id}', 'key', 0, 0, 'singleDevice', NULL, NULL, 0`)
        await insert("store_records", (id) => `'test', '${id}', 'owner of ${id}', 'value', 'v1', 9999999999999`)
        if (dialect !== "sqlite")
          for (const table of Object.values(TABLES))
            await rows(`ANALYZE ${dialect === "mysql" ? "TABLE " : ""}${table}`)
      })

      /** The statements of a call as the database receives them, without inserts. */
      async function recordStatements(work: (adapter: SqlAdapter) => unknown) {
        const statements: CompiledQuery[] = []
        const db = createRecordingKysely(dialect, database.address, ({ query }) => statements.push(query))
        await work(SqlAdapter({ db, dialect }))
        await db.destroy()
        return statements.filter(({ sql }) => !/^insert/i.test(sql))
      }

      const address = (id: string) => `${id}@m.test`
      const accountKey = { provider: "p" }
      const CALLS: Readonly<Record<string, (adapter: SqlAdapter, id: string) => unknown>> = {
        getUser: (adapter, id) => adapter.getUser(id),
        getUserByEmail: (adapter, id) => adapter.getUserByEmail(address(id)),
        getUserByAccount: (adapter, id) => adapter.getUserByAccount({ ...accountKey, providerAccountId: id }),
        updateUser: (adapter, id) => adapter.updateUser({ id, name: "other" }),
        deleteUser: (adapter, id) => adapter.deleteUser(id),
        getAccount: (adapter, id) => adapter.getAccount(id, "p"),
        unlinkAccount: (adapter, id) => adapter.unlinkAccount({ ...accountKey, providerAccountId: id }),
        listAccountsByUserId: (adapter, id) => adapter.listAccountsByUserId(id),
        getSessionAndUser: (adapter, id) => adapter.getSessionAndUser(id),
        updateSession: (adapter, id) => adapter.updateSession({ sessionToken: id, expires: inAnHour() }),
        deleteSession: (adapter, id) => adapter.deleteSession(id),
        deleteSessionsByUserId: (adapter, id) => adapter.deleteSessionsByUserId(id),
        useVerificationToken: (adapter, id) => adapter.useVerificationToken({ identifier: address(id), token: id }),
        deleteVerificationTokens: (adapter, id) => adapter.deleteVerificationTokens(address(id)),
        getAuthenticator: (adapter, id) => adapter.getAuthenticator(id),
        listAuthenticatorsByUserId: (adapter, id) => adapter.listAuthenticatorsByUserId(id),
        updateAuthenticatorCounter: (adapter, id) => adapter.updateAuthenticatorCounter(id, 5),
        renameAuthenticator: (adapter, id) => adapter.renameAuthenticator(id, "work"),
        deleteAuthenticator: (adapter, id) => adapter.deleteAuthenticator(id),
        deleteExpired: (adapter) => adapter.deleteExpired(),
        "store.get": (adapter, id) => adapter.store.get("test", id),
        "store.set": (adapter, id) => adapter.store.set("test", id, { value: "", expires: null, ifVersion: "v1" }),
        "store.delete": (adapter, id) => adapter.store.delete("test", id),
        "store.list": (adapter, id) => adapter.store.list("test", `owner of ${id}`),
      }

      const test = isMissing ? it.skip : it

      test.each(Object.entries(CALLS).map(([name, call], index) => ({ name, call, id: `many-${index}` })))(
        "find rows by an index in $name",
        async ({ call, id }) => {
          const statements = await recordStatements((adapter) => call(adapter, id))
          expect(statements.length).toBeGreaterThan(0)
          for (const { sql, parameters } of statements) expectIndex(await explain(sql, parameters), sql)
        },
      )

      test("read a session with its user in one statement", async () => {
        expect(await recordStatements((adapter) => adapter.getSessionAndUser("some token"))).toHaveLength(1)
      })

      const explain = (sql: string, parameters: readonly unknown[]) =>
        database.raw.query(`${dialect === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN"} ${sql}`, parameters)

      function expectIndex(plan: Row[], sql: string): void {
        const text = plan.flatMap(Object.values).join("\n")
        const isIndexed =
          dialect === "mysql" ? plan.every(isKeyed) : !/Seq Scan|SCAN (?!.*\bUSING (?:COVERING )?INDEX)/.test(text)
        expect({ sql, text, isIndexed }).toEqual({ sql, text, isIndexed: true })
      }
    })
  })
