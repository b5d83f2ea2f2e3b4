import { createBoundedSet } from "../../../lib/cache/bounded-set.js"
import { consumeFlow } from "../../../lib/security/sealed-flows.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"

const NOW = Date.UTC(2030, 0, 1)
const MINUTE_MS = 60_000

/** Creates a process with or without a shared store. */
function createProcess(store?: Store) {
  const runtime = { store, spentFlows: createBoundedSet(10), now: () => NOW }
  return { consume: (id: string) => consumeFlow({ id }, runtime) }
}

describe("consumeFlow", () => {
  it("FLT-10: consumes a flow once among all processes that share a store", async () => {
    const store = MemoryStore({ now: () => NOW })
    const [one, other] = [createProcess(store), createProcess(store)]
    expect(await Promise.all([one.consume("a"), other.consume("a"), one.consume("b")])).toEqual([true, false, true])
  })

  it("keeps the flow id for a minute longer than the lifetime of a flow", async () => {
    const store = MemoryStore({ now: () => NOW })
    await createProcess(store).consume("a")
    expect((await store.get("once", "a"))?.expires).toEqual(new Date(NOW + 16 * MINUTE_MS))
  })

  it("does not call the store if this process has already consumed the flow", async () => {
    const store = MemoryStore({ now: () => NOW })
    const set = jest.spyOn(store, "set")
    const { consume } = createProcess(store)
    await consume("a")
    expect([await consume("a"), set.mock.calls.length]).toEqual([false, 1])
  })

  it("FLT-10: consumes a flow once per process without a store", async () => {
    const [one, other] = [createProcess(), createProcess()]
    expect([await one.consume("a"), await one.consume("a"), await other.consume("a")]).toEqual([true, false, true])
  })

  it("rejects if the store fails, and keeps the flow consumed", async () => {
    const set = () => Promise.reject(new Error("the connection was lost"))
    const { consume } = createProcess({ ...MemoryStore(), set })
    await expect(consume("a")).rejects.toThrow("the connection was lost")
    expect(await consume("a")).toBe(false)
  })
})
