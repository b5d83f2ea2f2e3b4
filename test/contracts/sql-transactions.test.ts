import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { SqlAdapter } from "../../lib/adapters/sql.js"
import { mysql, postgres, sqlite } from "../support/stores/sql.js"
import { describeStore, type OpenStore } from "../support/stores.js"

const REASON = "undone on purpose"

const newUser = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.test`, emailVerified: null })

/** Creates a user and returns its id. */
async function createUser(adapter: Adapter): Promise<string> {
  const user = await adapter.createUser?.(newUser())
  return user?.id ?? ""
}

for (const each of [sqlite, postgres, mysql])
  describeStore(`transactions on ${each.name}`, each, ({ create, dialect }) => {
    let opened: OpenStore & { readonly database: { readonly place: Parameters<typeof SqlAdapter>[0] } }
    let adapter: OpenStore["adapter"]

    beforeAll(async () => {
      opened = await create()
      adapter = opened.adapter
    })
    afterAll(() => opened.close())

    const isThere = async (id: string) => (await adapter.getUser(id)) !== null

    it("run in sequence or concurrently without a deadlock", async () => {
      const work = async (within: Adapter) => {
        const id = await createUser(within)
        await pause(5)
        await within.updateUser?.({ id, name: "Ada" })
        return id
      }
      const ids = await Promise.all(Array.from({ length: 30 }, () => adapter.transaction(work)))
      for (const id of ids) expect((await adapter.getUser(id))?.name).toBe("Ada")
    })

    it("do not block other calls of the same adapter", async () => {
      const [id, other] = await Promise.all([
        adapter.transaction(async (within) => {
          const created = await createUser(within)
          await pause(20)
          return created
        }),
        createUser(adapter),
      ])
      expect([await isThere(id), await isThere(other)]).toEqual([true, true])
    })

    it("include calls on the adapter itself from within", async () => {
      let id = ""
      const work = adapter.transaction(async (within) => {
        id = await createUser(adapter)
        // The user is visible to both adapters before the commit.
        expect(await within.getUser?.(id)).not.toBeNull()
        expect(await adapter.getUser(id)).not.toBeNull()
        throw new Error(REASON)
      })
      await expect(work).rejects.toThrow(REASON)
      expect(await isThere(id)).toBe(false)
    })

    it.each([
      ["the adapter of the transaction", (_: Adapter, within: Adapter) => within],
      ["the adapter itself", (outer: Adapter) => outer],
    ])("nested by %s are rolled back alone", async (_, choose) => {
      let inner = ""
      const outer = await adapter.transaction(async (within) => {
        const id = await createUser(within)
        const part = choose(adapter, within).transaction?.(async (deeper) => {
          inner = await createUser(deeper)
          throw new Error(REASON)
        })
        await expect(part).rejects.toThrow(REASON)
        return id
      })
      expect([await isThere(outer), await isThere(inner)]).toEqual([true, false])
    })

    it("can be nested and concurrent, and commit with the outer one", async () => {
      const ids = await adapter.transaction(async (within) => {
        const parts = Array.from({ length: 4 }, () =>
          within.transaction?.(async (deeper) => {
            const id = await deeper.transaction?.((deepest) => createUser(deepest))
            return [id ?? "", await createUser(deeper)]
          }),
        )
        return (await Promise.all(parts)).flat()
      })
      expect(ids).toHaveLength(8)
      for (const id of ids) expect(await isThere(id ?? "")).toBe(true)
    })

    it("reject calls after their end", async () => {
      let late: Adapter = {}
      await adapter.transaction(async (within) => {
        late = within
      })
      const message = "this transaction has ended: await every call made in it, or use the adapter itself"
      await expect(late.getUser?.("1")).rejects.toThrow(message)
      await expect(late.transaction?.(async () => 1)).rejects.toThrow(message)
    })

    it("end with their callback; calls still running continue outside", async () => {
      let left: Promise<string> | undefined
      await adapter.transaction(async () => {
        left = pause(30).then(() => createUser(adapter))
      })
      expect(await isThere((await left) ?? "")).toBe(true)
    })

    it("of two adapters in one process do not block each other", async () => {
      const second = SqlAdapter(opened.database.place)
      const work = async (within: Adapter) => {
        const id = await createUser(within)
        await pause(30)
        return id
      }
      const began = performance.now()
      const ids = await Promise.all([adapter, second, adapter, second].map((each) => each.transaction(work)))
      const single = await Promise.all([createUser(adapter), createUser(second)])
      await second.close()
      for (const id of [...ids, ...single]) expect(await isThere(id)).toBe(true)
      // Waiting inside SQLite would block the process, including the transaction that it waits for.
      if (dialect === "sqlite") expect(performance.now() - began).toBeLessThan(3_000)
    })
  })
