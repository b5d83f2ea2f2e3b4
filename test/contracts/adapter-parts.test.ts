import type { Adapter } from "../../lib/adapters/adapter.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"

const newUser = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.test`, emailVerified: null })
const createUser = async (adapter: Adapter) => (await adapter.createUser?.(newUser()))?.id ?? ""

/** A promise with the function that resolves it. */
function createSignal() {
  let arrive = () => {}
  const arrived = new Promise<void>((done) => {
    arrive = done
  })
  return { arrive: () => arrive(), arrived }
}

describeStores("a nested transaction", (kind: Store) => {
  let store: OpenStore
  beforeAll(async () => {
    store = await kind.create()
  })
  afterAll(() => store.close())

  const isThere = async (id: string) => (await store.adapter.getUser(id)) !== null

  it.each([
    ["the transaction's adapter", (within: Adapter) => within],
    ["the adapter itself", () => store.adapter],
  ])("is rolled back alone if it fails while %s is called concurrently", async (_, choose) => {
    const begun = createSignal()
    let undone = ""
    const kept = await store.adapter.transaction(async (within) => {
      const part = within.transaction?.(async (deeper) => {
        undone = await createUser(deeper)
        begun.arrive()
        await createUser(deeper)
        throw new Error("on purpose")
      })
      const refused = expect(part).rejects.toThrow("on purpose")
      await begun.arrived
      const id = await createUser(choose(within))
      await refused
      return id
    })
    expect([await isThere(kept), await isThere(undone)]).toEqual([true, false])
  })

  it("is rolled back alone if it fails while other nested transactions run concurrently", async () => {
    const ids = await store.adapter.transaction(async (within) => {
      const part = async (fails: boolean) =>
        within.transaction?.(async (deeper) => {
          const id = await createUser(deeper)
          await createUser(deeper)
          if (fails) throw new Error("on purpose")
          return id
        })
      const parts = await Promise.allSettled([part(true), part(false), part(true), part(false)])
      return parts.flatMap((ended) => (ended.status === "fulfilled" ? [ended.value ?? ""] : []))
    })
    expect(ids).toHaveLength(2)
    for (const id of ids) expect(await isThere(id)).toBe(true)
  })

  it("is rolled back including calls that were not awaited", async () => {
    let left: Promise<string> | undefined
    await store.adapter.transaction(async (within) => {
      const part = within.transaction?.(async (deeper) => {
        left = createUser(deeper)
        throw new Error("on purpose")
      })
      await expect(part).rejects.toThrow("on purpose")
    })
    expect(await isThere((await left) ?? "")).toBe(false)
  })

  it("rejects calls on its adapter after its end, while the outer transaction continues", async () => {
    const kept = await store.adapter.transaction(async (within) => {
      let late: Adapter = {}
      await within.transaction?.(async (deeper) => {
        late = deeper
      })
      const message = "this transaction has ended: await every call made in it, or use the adapter itself"
      await expect(createUser(late)).rejects.toThrow(message)
      await expect(late.transaction?.(createUser)).rejects.toThrow(message)
      return createUser(within)
    })
    expect(await isThere(kept)).toBe(true)
  })

  it("may call the outer adapters without a deadlock", async () => {
    const ids: string[] = []
    const work = store.adapter.transaction(async (within) =>
      within.transaction?.(async (deeper) =>
        deeper.transaction?.(async () => {
          for (const each of [within, deeper, store.adapter]) ids.push(await createUser(each))
          for (const each of [within, deeper, store.adapter])
            ids.push((await each.transaction?.(async (deepest) => createUser(deepest))) ?? "")
        }),
      ),
    )
    await work
    expect(ids).toHaveLength(6)
    for (const id of ids) expect(await isThere(id)).toBe(true)
  })
})
