import { SqlAdapter } from "../../lib/adapters/sql.js"
import { type Database, mysql, postgres, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"

const MINUTE_MS = 60_000

for (const each of [sqlite, postgres, mysql])
  describeStore(`expired rows on ${each.name}`, each, ({ create, dialect }) => {
    let opened: Awaited<ReturnType<typeof create>>
    let database: Database
    let userId: string
    let now = Date.now()
    let adapter: SqlAdapter
    const adapters: SqlAdapter[] = []

    /** An adapter as in a newly started process. */
    function start(): SqlAdapter {
      const started = SqlAdapter({ ...database.place, now: () => now })
      adapters.push(started)
      return started
    }

    beforeEach(async () => {
      opened = await create()
      database = opened.database
      adapter = start()
      userId = (await adapter.createUser({ id: crypto.randomUUID(), email: "a@b.test", emailVerified: null })).id
    })
    afterEach(async () => {
      for (const each of adapters.splice(0)) await each.close()
      await opened.close()
    })

    const inMinutes = (minutes: number) => new Date(now + minutes * MINUTE_MS)
    const newSession = (expires: Date) => adapter.createSession({ sessionToken: crypto.randomUUID(), userId, expires })
    const newLink = (expires: Date) =>
      adapter.createVerificationToken({ identifier: "a@b.test", token: crypto.randomUUID(), expires })
    const newRecord = (expires: Date) => adapter.store.set("test", crypto.randomUUID(), { value: "", expires })
    const countIn = async (table: string) =>
      Number((await database.raw.query(`SELECT count(*) AS count FROM ${table}`))[0]?.["count"])
    const countLeft = async () => ({ sessions: await countIn("sessions"), links: await countIn("verification_tokens") })

    /** Rows that an earlier process has left. */
    async function addEnded(count: number): Promise<void> {
      const values = (row: (index: number) => string) =>
        Array.from({ length: count }, (_, index) => `(${row(index)}, ${now - 1 - index})`).join(", ")
      await database.raw.query(`INSERT INTO sessions VALUES ${values((index) => `'${index}', '${userId}'`)}`)
      await database.raw.query(`INSERT INTO verification_tokens VALUES ${values((index) => `'${index}', 'hash'`)}`)
    }

    it("are deleted by deleteExpired, which returns their number", async () => {
      await newSession(inMinutes(1))
      await newLink(inMinutes(1))
      // Creating these rows has also started a deletion.
      await adapter.close()
      adapter = start()
      await addEnded(1_234)
      expect(await adapter.deleteExpired()).toBe(2 * 1_234)
      expect(await countLeft()).toEqual({ sessions: 1, links: 1 })
      expect(await adapter.deleteExpired()).toBe(0)
    })

    it("are deleted and counted once by concurrent calls", async () => {
      await addEnded(1_500)
      const swept = await Promise.all(Array.from({ length: 3 }, () => start().deleteExpired()))
      // Rows locked by one call are skipped by the others.
      expect(swept.reduce((sum, count) => sum + count)).toBe(3_000)
      expect(await countLeft()).toEqual({ sessions: 0, links: 0 })
    })

    it("are not deleted if they are extended at the same time", async () => {
      await addEnded(3)
      await database.raw.query(dialect === "sqlite" ? "BEGIN IMMEDIATE" : "BEGIN")
      await database.raw.query(`UPDATE sessions SET expires = ${now + MINUTE_MS} WHERE token_hash = '1'`)
      let isDone = false
      const sweeping = adapter.deleteExpired().finally(() => {
        isDone = true
      })
      // PostgreSQL skips locked rows; the others wait.
      if (dialect === "postgres") await until(() => isDone)
      else await new Promise((resolve) => setTimeout(resolve, 100))
      await database.raw.query("COMMIT")
      expect(await sweeping).toBe(5)
      expect(await database.raw.query("SELECT token_hash FROM sessions")).toEqual([{ token_hash: "1" }])
    })

    it.each([
      ["a session", () => newSession(inMinutes(1))],
      ["a link", () => newLink(inMinutes(1))],
      ["a record of the store", () => newRecord(inMinutes(1))],
    ])("are deleted in the background when %s is created, every ten minutes at most", async (_, createOne) => {
      await addEnded(10)
      await createOne()
      await until(async () => (await countLeft()).sessions + (await countLeft()).links <= 1, 5_000)
      await addEnded(10)
      now += 9 * MINUTE_MS
      await createOne()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect((await countLeft()).sessions).toBeGreaterThanOrEqual(10)
      now += 2 * MINUTE_MS
      await createOne()
      await until(async () => (await countLeft()).sessions < 3, 5_000)
    })

    it("are deleted at the next opportunity after the clock was set back", async () => {
      await addEnded(10)
      await newSession(inMinutes(1))
      await until(async () => (await countLeft()).sessions + (await countLeft()).links === 1, 5_000)
      now -= 60 * MINUTE_MS
      await addEnded(10)
      await newSession(inMinutes(1))
      await until(async () => (await countLeft()).sessions + (await countLeft()).links === 2, 5_000)
    })

    it("do not prevent creating new rows if deleting them fails", async () => {
      await database.raw.query("DROP TABLE verification_tokens")
      await expect(newSession(inMinutes(1))).resolves.toBeTruthy()
      await adapter.close()
      // Calling deleteExpired reports the failure.
      await expect(opened.adapter.deleteExpired()).rejects.toThrow(/verification_tokens/)
    })
  })
