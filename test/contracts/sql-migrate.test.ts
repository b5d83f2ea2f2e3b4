import { readFileSync } from "node:fs"
import { join } from "node:path"
import { bindAdapter } from "../../lib/adapters/bind.js"
import { SqlAdapter, type TableNames } from "../../lib/adapters/sql.js"
import { createLogger } from "../../lib/logging/logger.js"
import { setClockBack } from "../support/set-clock-back.js"
import type { Database } from "../support/stores/sql.js"
import { mysql, postgres, sqlite, TABLES } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

/** The published schema of version 1, which stays unchanged because existing stores have it. */
const readFirstVersion = (dialect: string) => readFileSync(join(__dirname, "sql-version-1", `${dialect}.sql`), "utf8")

const newUser = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.test`, emailVerified: null })

for (const each of [sqlite, postgres, mysql])
  describeStore(`migrations on ${each.name}`, each, ({ dialect, createDatabase }) => {
    let database: Database
    const adapters: SqlAdapter[] = []

    beforeEach(async () => {
      database = await createDatabase()
    })
    afterEach(async () => {
      jest.restoreAllMocks()
      for (const adapter of adapters.splice(0)) await adapter.close()
      await database.drop()
    })

    function open(tables: Partial<TableNames> = {}): SqlAdapter {
      const adapter = SqlAdapter({ ...database.place, tables })
      adapters.push(adapter)
      return adapter
    }

    const isThere = (table: string) =>
      database.raw.query(`SELECT * FROM ${table}`).then(
        () => true,
        () => false,
      )
    const versions = () =>
      database.raw.query("SELECT store, version, is_complete FROM latchkey_migrations ORDER BY store, version")
    const row = (version: number, isComplete = 1) => ({ store: "users", version, is_complete: isComplete })

    const LOCKING = {
      postgres: "SELECT pg_advisory_xact_lock(7306926840418207)",
      mysql: "SELECT GET_LOCK('latchkey_migrations', 60)",
    }

    if (dialect !== "sqlite")
      it("time out even if the clock is set back meanwhile", async () => {
        await database.raw.query("BEGIN")
        await database.raw.query(LOCKING[dialect])
        setClockBack({ eachReadTakesMs: 25_000 })
        await expect(open().migrate()).rejects.toThrow("another process has been migrating for 60 s")
        await database.raw.query(dialect === "mysql" ? "DO RELEASE_LOCK('latchkey_migrations')" : "ROLLBACK")
      })

    it("create tables whose custom columns are recognised, even after an earlier failed sign-in", async () => {
      const adapter = open()
      const editor = () => ({ ...newUser(), ...({ role: "editor" } as object) })
      await expect(adapter.createUser(editor())).rejects.toThrow("run adapter.migrate()")
      const bound = bindAdapter(adapter, createLogger({ logger: {} }))
      await expect(bound.createUser?.(editor())).rejects.toMatchObject({ messageCode: "schema-outdated", status: 503 })
      await open().migrate()
      await database.raw.query("ALTER TABLE users ADD COLUMN role VARCHAR(20)")
      await expect(adapter.createUser(editor())).resolves.toMatchObject({ role: "editor" })
    })

    it("can be repeated and keep existing data", async () => {
      const adapter = open()
      await adapter.migrate()
      const { id } = await adapter.createUser(newUser())
      await adapter.migrate()
      await open().migrate()
      expect((await adapter.getUser(id))?.id).toBe(id)
      expect(await versions()).toEqual([row(1), row(2)])
    })

    it("can run in several adapters concurrently", async () => {
      await Promise.all(Array.from({ length: 5 }, () => open().migrate()))
      expect(await versions()).toHaveLength(2)
      await expect(open().createUser(newUser())).resolves.toBeTruthy()
    })

    it("print SQL that prepares an empty database completely", async () => {
      const adapter = open()
      await database.raw.query(adapter.migrationSql())
      const before = await versions()
      await adapter.migrate()
      expect(await versions()).toEqual(before)
      const user = await adapter.createUser(newUser())
      expect(await adapter.getUser(user.id)).toEqual(user)
    })

    it("print the same SQL each time", () => {
      expect(open().migrationSql()).toBe(open().migrationSql())
    })

    it("reject tables of a newer version of the package", async () => {
      const adapter = open()
      await adapter.migrate()
      await database.raw.query("INSERT INTO latchkey_migrations (store, version, is_complete) VALUES ('users', 7, 1)")
      const message =
        "the tables were migrated by a newer release of latchkey: their schema version is 7. They need a release " +
        "with schema version 7 or later, but this release has 2. Update latchkey"
      await expect(adapter.migrate()).rejects.toThrow(message)
    })

    /** Changes the schema, and records the change as a newer release does. */
    const migrateAsNewerRelease = (change: string, compatibleFrom: number) =>
      database.raw.query(
        `${change}; INSERT INTO latchkey_migrations (store, version, is_complete, compatible_from) ` +
          `VALUES ('users', 3, 1, ${compatibleFrom})`,
      )

    it("accept tables to which a newer release has only added", async () => {
      await open().migrate()
      await migrateAsNewerRelease("ALTER TABLE users ADD COLUMN added_later INTEGER", 1)
      const adapter = open()
      await adapter.migrate()
      expect(await adapter.pendingMigrations()).toEqual([])
      const { id } = await adapter.createUser(newUser())
      expect((await adapter.getUser(id))?.id).toBe(id)
    })

    it("reject tables that a newer release has changed, and name both versions", async () => {
      await open().migrate()
      await migrateAsNewerRelease("ALTER TABLE users DROP COLUMN image", 3)
      const message =
        "the tables were migrated by a newer release of latchkey: their schema version is 3. They need a release " +
        "with schema version 3 or later, but this release has 2. Update latchkey"
      await expect(open().migrate()).rejects.toThrow(message)
      // A later compatible addition does not make the tables compatible again.
      await database.raw.query("UPDATE latchkey_migrations SET version = 4 WHERE version = 3")
      await expect(open().pendingMigrations()).rejects.toThrow(message.replace("version is 3", "version is 4"))
    })

    it("record for each version which releases are compatible with it", async () => {
      const compatible = async () =>
        (
          await database.raw.query(
            "SELECT version, compatible_from FROM latchkey_migrations WHERE store = 'users' ORDER BY version",
          )
        ).map((found) => [
          Number(found["version"]),
          found["compatible_from"] === null ? null : Number(found["compatible_from"]),
        ])
      await database.raw.query(readFirstVersion(dialect))
      await open().migrate()
      // Version 1 was published before the compatible releases were recorded.
      expect(await compatible()).toEqual([
        [1, null],
        [2, 1],
      ])
      await open().migrate()
    })

    it("leave a foreign table unchanged and report how to avoid the conflict", async () => {
      await database.raw.query("CREATE TABLE sessions (sid VARCHAR(9))")
      const adapter = open()
      await expect(adapter.migrate()).rejects.toThrow(
        "the table sessions already exists and was not created by latchkey. " +
          'Choose another name: SqlAdapter({ …, tables: { sessions: "auth_sessions" } })',
      )
      expect(await isThere("users")).toBe(false)
      await open({ sessions: "auth_sessions" }).migrate()
    })

    it("keep two sets of tables in one database separate", async () => {
      const other = Object.fromEntries(Object.entries(TABLES).map(([key, name]) => [key, `second_${name}`]))
      const [first, second] = [open(), open(other)]
      await Promise.all([first.migrate(), second.migrate()])
      const user = await first.createUser(newUser())
      expect(await second.getUser(user.id)).toBeNull()
      const stores = new Set((await versions()).map(({ store }) => store))
      expect([...stores].sort()).toEqual(["second_users", "users"])
    })

    it("are named in the error if they never ran", async () => {
      const adapter = open()
      const hint = /\(run adapter\.migrate\(\) or store\.migrate\(\), or npx latchkey migrate\)$/
      await expect(adapter.getUser("1")).rejects.toThrow(hint)
      await expect(adapter.transaction(async (within) => within.getUser?.("1"))).rejects.toThrow(hint)
      await expect(adapter.deleteExpired()).rejects.toThrow(hint)
    })

    describe("of a store of version 1", () => {
      const INSERT =
        "INSERT INTO authenticators (credential_id, user_id, provider_account_id, credential_public_key, counter, " +
        "credential_backed_up, credential_device_type) VALUES ('c1', 'u1', 'c1', 'a2V5', 3, 1, 'multiDevice')"
      const old = {
        userId: "u1",
        providerAccountId: "c1",
        credentialID: "c1",
        credentialPublicKey: "a2V5",
        counter: 3,
        credentialBackedUp: true,
        credentialDeviceType: "multiDevice",
      }
      let adapter: SqlAdapter
      beforeEach(async () => {
        await database.raw.query(readFirstVersion(dialect))
        await database.raw.query("INSERT INTO users (id, email) VALUES ('u1', 'ada@example.test')")
        await database.raw.query(INSERT)
        adapter = open()
      })

      it("keep its rows; existing passkeys have neither name nor creation time", async () => {
        await adapter.migrate()
        expect(await versions()).toEqual([row(1), row(2)])
        expect((await adapter.getUserByEmail("ada@example.test"))?.id).toBe("u1")
        expect(await adapter.getAuthenticator("c1")).toEqual(old)
        await adapter.renameAuthenticator("c1", "Ada's phone 🦊")
        const { createdAt } = await adapter.createAuthenticator({ ...old, credentialID: "c2" })
        expect(await adapter.listAuthenticatorsByUserId("u1")).toEqual([
          { ...old, name: "Ada's phone 🦊" },
          { ...old, credentialID: "c2", createdAt },
        ])
      })

      it("can run in several adapters concurrently", async () => {
        await Promise.all([adapter, open(), open()].map((each) => each.migrate()))
        expect(await versions()).toEqual([row(1), row(2)])
        await expect(adapter.renameAuthenticator("c1", "work")).resolves.toBeUndefined()
      })

      it("can be done by the last part of the printed SQL", async () => {
        const [before = "", after = ""] = adapter.migrationSql().split("-- version 2\n")
        const withoutColumn = before.replace("-- version 1\n\n", "").replace("  compatible_from INTEGER,\n", "")
        expect(withoutColumn.trim()).toBe(readFirstVersion(dialect).trim())
        await database.raw.query(after)
        expect(await versions()).toEqual([row(1), row(2)])
        await adapter.migrate()
        expect(await adapter.getAuthenticator("c1")).toEqual(old)
        await expect(adapter.renameAuthenticator("c1", "work")).resolves.toBeUndefined()
      })

      it("are required only by features that need them; sign-ins continue meanwhile", async () => {
        const hint =
          /\b(?:name|created_at)\b.* \(run adapter\.migrate\(\) or store\.migrate\(\), or npx latchkey migrate\)$/
        await expect(adapter.createAuthenticator({ ...old, credentialID: "c2" })).rejects.toThrow(hint)
        await expect(adapter.renameAuthenticator("c1", "work")).rejects.toThrow(hint)
        expect(await adapter.getAuthenticator("c1")).toEqual(old)
        expect(await adapter.updateAuthenticatorCounter("c1", 4)).toEqual({ ...old, counter: 4 })
        await adapter.deleteAuthenticator("c1")
        expect(await adapter.listAuthenticatorsByUserId("u1")).toEqual([])
      })

      it("leave a column of the application unchanged, even when repeated", async () => {
        await database.raw.query("ALTER TABLE authenticators ADD COLUMN created_at VARCHAR(9)")
        const message =
          "the table authenticators already has a column created_at, which was not created by latchkey. " +
          "Rename this column, then migrate again"
        for (let time = 0; time < 2; time++) await expect(adapter.migrate()).rejects.toThrow(message)
        expect(await versions()).toEqual([row(1)])
        await database.raw.query("ALTER TABLE authenticators RENAME COLUMN created_at TO made_at")
        await adapter.migrate()
        expect(await adapter.getAuthenticator("c1")).toEqual(old)
      })

      if (dialect === "mysql")
        it("continue after a process died midway", async () => {
          await database.raw.query("ALTER TABLE authenticators ADD COLUMN name MEDIUMTEXT")
          await database.raw.query(
            "INSERT INTO latchkey_migrations (store, version, is_complete) VALUES ('users', 2, 0)",
          )
          await adapter.migrate()
          expect(await versions()).toEqual([row(1), row(2)])
          await expect(adapter.createAuthenticator({ ...old, credentialID: "c2" })).resolves.toHaveProperty("createdAt")
        })
    })

    if (dialect === "mysql")
      it("continue after a process died midway", async () => {
        const statements = open().migrationSql().split(";")
        // Four of the tables and one of the indices exist.
        const begun = [...statements.slice(0, 5), statements[6]]
        await database.raw.query(begun.join(";"))
        await database.raw.query("INSERT INTO latchkey_migrations (store, version, is_complete) VALUES ('users', 1, 0)")
        const adapter = open()
        await adapter.migrate()
        expect(await versions()).toEqual([row(1), row(2)])
        await expect(adapter.createUser(newUser())).resolves.toBeTruthy()
      })
    else
      it("leave nothing behind when they fail", async () => {
        // The name of one of our indices, which are created last.
        await database.raw.query("CREATE TABLE other (expires INT)")
        await database.raw.query("CREATE INDEX sessions_expires ON other (expires)")
        await expect(open().migrate()).rejects.toThrow(/sessions_expires.*exists/)
        expect(await isThere("users")).toBe(false)
        expect(await isThere("latchkey_migrations")).toBe(false)
        await database.raw.query("DROP TABLE other")
        await open().migrate()
      })
  })

describeStore("migrations for a database user without the right to create tables", postgres, ({ createDatabase }) => {
  it("succeed if the tables are up to date", async () => {
    const database = await createDatabase()
    const owner = SqlAdapter(database.place)
    await owner.migrate()
    const url = new URL(database.address)
    url.searchParams.set("options", `${url.searchParams.get("options")} -c default_transaction_read_only=on`)
    const reader = SqlAdapter({ postgres: url.href })
    await expect(reader.migrate()).resolves.toBeUndefined()
    await expect(reader.createUser(newUser())).rejects.toThrow(/read-only/)
    for (const adapter of [owner, reader]) await adapter.close()
    await database.drop()
  })
})
