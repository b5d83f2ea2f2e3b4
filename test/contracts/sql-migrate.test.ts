import { SqlAdapter, type TableNames } from "../../lib/adapters/sql.js"
import type { Database } from "../support/stores/sql.js"
import { mysql, postgres, sqlite, TABLES } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

const newUser = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.test`, emailVerified: null })

for (const each of [sqlite, postgres, mysql])
  describeStore(`migrations on ${each.name}`, each, ({ dialect, createDatabase }) => {
    let database: Database
    const adapters: SqlAdapter[] = []

    beforeEach(async () => {
      database = await createDatabase()
    })
    afterEach(async () => {
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
    const versions = () => database.raw.query("SELECT store, version, is_complete FROM latchkey_migrations")

    it("can be repeated, and keeps what is there", async () => {
      const adapter = open()
      await adapter.migrate()
      const { id } = await adapter.createUser(newUser())
      await adapter.migrate()
      await open().migrate()
      expect((await adapter.getUser(id))?.id).toBe(id)
      expect(await versions()).toEqual([{ store: "users", version: 1, is_complete: 1 }])
    })

    it("can be run by several adapters at once", async () => {
      await Promise.all(Array.from({ length: 5 }, () => open().migrate()))
      expect(await versions()).toHaveLength(1)
      await expect(open().createUser(newUser())).resolves.toBeTruthy()
    })

    it("prints SQL that makes an empty database ready, after which there is nothing left to migrate", async () => {
      const adapter = open()
      await database.raw.query(adapter.migrationSql())
      const before = await versions()
      await adapter.migrate()
      expect(await versions()).toEqual(before)
      const user = await adapter.createUser(newUser())
      expect(await adapter.getUser(user.id)).toEqual(user)
    })

    it("prints the same SQL each time", () => {
      expect(open().migrationSql()).toBe(open().migrationSql())
    })

    it("refuses tables of a newer version of the package", async () => {
      const adapter = open()
      await adapter.migrate()
      await database.raw.query("INSERT INTO latchkey_migrations (store, version, is_complete) VALUES ('users', 7, 1)")
      const message =
        "the tables are of a newer latchkey: they have version 7 and this package knows 1. Update latchkey"
      await expect(adapter.migrate()).rejects.toThrow(message)
    })

    it("leaves a table alone that is not its own, and says how to get out of its way", async () => {
      await database.raw.query("CREATE TABLE sessions (sid VARCHAR(9))")
      const adapter = open()
      await expect(adapter.migrate()).rejects.toThrow(
        "there is a table sessions already, and it is not of latchkey. " +
          'Give another name: SqlAdapter({ …, tables: { sessions: "auth_sessions" } })',
      )
      expect(await isThere("users")).toBe(false)
      await open({ sessions: "auth_sessions" }).migrate()
    })

    it("keeps two sets of tables in one database apart", async () => {
      const other = Object.fromEntries(Object.entries(TABLES).map(([key, name]) => [key, `second_${name}`]))
      const [first, second] = [open(), open(other)]
      await Promise.all([first.migrate(), second.migrate()])
      const user = await first.createUser(newUser())
      expect(await second.getUser(user.id)).toBeNull()
      expect((await versions()).map(({ store }) => store).sort()).toEqual(["second_users", "users"])
    })

    it("says what to do when it was never run", async () => {
      const adapter = open()
      const hint = /\(run adapter\.migrate\(\) or npx latchkey migrate\)$/
      await expect(adapter.getUser("1")).rejects.toThrow(hint)
      await expect(adapter.transaction(async (within) => within.getUser?.("1"))).rejects.toThrow(hint)
      await expect(adapter.sweep()).rejects.toThrow(hint)
    })

    if (dialect === "mysql")
      it("goes on where a process has died", async () => {
        const statements = open().migrationSql().split(";")
        // Four of the tables and one of the indices.
        const begun = [...statements.slice(0, 5), statements[6]]
        await database.raw.query(begun.join(";"))
        await database.raw.query("INSERT INTO latchkey_migrations (store, version, is_complete) VALUES ('users', 1, 0)")
        const adapter = open()
        await adapter.migrate()
        expect(await versions()).toEqual([{ store: "users", version: 1, is_complete: 1 }])
        await expect(adapter.createUser(newUser())).resolves.toBeTruthy()
      })
    else
      it("leaves nothing behind when it fails", async () => {
        // The name of one of our indices, which are made last.
        await database.raw.query("CREATE TABLE other (expires INT)")
        await database.raw.query("CREATE INDEX sessions_expires ON other (expires)")
        await expect(open().migrate()).rejects.toThrow(/sessions_expires.*exists/)
        expect(await isThere("users")).toBe(false)
        expect(await isThere("latchkey_migrations")).toBe(false)
        await database.raw.query("DROP TABLE other")
        await open().migrate()
      })
  })

describeStore("migrations for a database user who may not make tables", postgres, ({ createDatabase }) => {
  it("find that all is there", async () => {
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
