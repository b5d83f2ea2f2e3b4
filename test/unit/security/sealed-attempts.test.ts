import type { AdapterClaim } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { createOnceSet } from "../../../lib/security/once-set.js"
import { takeAttempt } from "../../../lib/security/sealed-attempts.js"

const NOW = Date.UTC(2030, 0, 1)
const MINUTE_MS = 60_000

/** A process, and what it asked of the store. */
function processOn(store?: ReturnType<typeof MemoryAdapter>) {
  const asked: AdapterClaim[] = []
  const adapter = store && {
    claimOnce(claim: AdapterClaim) {
      asked.push(claim)
      return store.claimOnce(claim)
    },
  }
  const runtime = { adapter, spentFlows: createOnceSet(10), now: () => NOW }
  return { asked, take: (id: string) => takeAttempt({ id }, runtime) }
}

describe("an attempt", () => {
  it("FLT-10: is taken once by all processes of one store", async () => {
    const store = MemoryAdapter({ now: () => NOW })
    const [one, other] = [processOn(store), processOn(store)]
    expect(await Promise.all([one.take("a"), other.take("a"), one.take("b")])).toEqual([true, false, true])
  })

  it("is claimed for a minute longer than one lasts that begins now", async () => {
    const { asked, take } = processOn(MemoryAdapter())
    await take("a")
    expect(asked).toEqual([{ id: "a", expires: new Date(NOW + 16 * MINUTE_MS) }])
  })

  it("costs the store nothing when this process knows of it", async () => {
    const { asked, take } = processOn(MemoryAdapter())
    await take("a")
    expect([await take("a"), asked.length]).toEqual([false, 1])
  })

  it.each([
    ["no store", undefined],
    ["a store that can't claim", {}],
  ])("FLT-10: is taken once by each process with %s", async (_, adapter) => {
    const runtime = () => ({ adapter, spentFlows: createOnceSet(10), now: () => NOW })
    const [one, other] = [runtime(), runtime()]
    const taken = [await takeAttempt({ id: "a" }, one), await takeAttempt({ id: "a" }, one)]
    expect([...taken, await takeAttempt({ id: "a" }, other)]).toEqual([true, false, true])
  })

  it("is not taken where the store fails, and stays spent", async () => {
    const claimOnce = () => Promise.reject(new Error("the connection was lost"))
    const runtime = { adapter: { claimOnce }, spentFlows: createOnceSet(10), now: () => NOW }
    await expect(takeAttempt({ id: "a" }, runtime)).rejects.toThrow("the connection was lost")
    expect(await takeAttempt({ id: "a" }, runtime)).toBe(false)
  })
})
