import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import { findFlow } from "../../../../lib/methods/oauth/flow.js"
import { takeAttempt } from "../../../../lib/security/sealed-attempts.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { begin, callOf, NOW, providerOf, settingOf } from "./setting.js"

/** Takes an attempt that a browser has begun, in as many processes as there are configurations. */
async function attemptIn(...configs: readonly Partial<AuthConfig>[]) {
  const [setting, ...others] = configs.map((config) => settingOf({}, config))
  if (!setting) throw new Error("there is no process")
  const { cookies, state } = await begin(setting)
  const found = findFlow(await callOf(setting, { cookies, query: { state } }), providerOf(setting), setting.runtime)
  return [setting, ...others].map(
    ({ runtime }) =>
      () =>
        takeAttempt({ id: found?.id ?? "" }, runtime),
  )
}

describe("an attempt", () => {
  it("is taken once, by the first who brings it", async () => {
    const [take] = await attemptIn({})
    expect([await take?.(), await take?.(), await take?.()]).toEqual([true, false, false])
  })

  it("is another than the one before it", async () => {
    const setting = settingOf()
    const ids = new Set<string | undefined>()
    for (let i = 0; i < 3; i++) {
      const { cookies, state } = await begin(setting)
      ids.add(findFlow(await callOf(setting, { cookies, query: { state } }), providerOf(setting), setting.runtime)?.id)
    }
    expect(ids.size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/)
  })

  it("is taken once in all processes that share a store", async () => {
    const adapter = MemoryAdapter()
    const takes = await attemptIn({ adapter }, { adapter }, { adapter })
    const taken = await Promise.all(takes.map((take) => take()))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  it("is told to the store once from each process, a minute longer than one is good", async () => {
    const told: unknown[] = []
    const adapter = { ...MemoryAdapter(), claimOnce: async (claim: object) => told.push(claim) > 0 }
    const [take] = await attemptIn({ adapter })
    expect([await take?.(), await take?.()]).toEqual([true, false])
    expect(told).toEqual([{ id: expect.any(String), expires: new Date(NOW + 960_000) }])
  })
})
