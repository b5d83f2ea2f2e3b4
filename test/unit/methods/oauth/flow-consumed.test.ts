import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import { findFlow } from "../../../../lib/methods/oauth/flow.js"
import { consumeFlow } from "../../../../lib/security/sealed-flows.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { callOf, createSite, providerOf, startFlow } from "./test-site.js"

/** Starts a flow, and returns for each configuration a function that consumes the flow in its own process. */
async function consumersOf(...configs: readonly Partial<AuthConfig>[]) {
  const [site, ...others] = configs.map((config) => createSite({}, config))
  if (!site) throw new Error("no configuration was given")
  const { cookies, state } = await startFlow(site)
  const found = findFlow(await callOf(site, { cookies, query: { state } }), providerOf(site), site.runtime)
  return [site, ...others].map(
    ({ runtime }) =>
      () =>
        consumeFlow({ id: found?.id ?? "" }, runtime),
  )
}

describe("consumeFlow with a flow that findFlow has found", () => {
  it("returns true to the first caller only", async () => {
    const [consume] = await consumersOf({})
    expect([await consume?.(), await consume?.(), await consume?.()]).toEqual([true, false, false])
  })

  it("uses a different id for each flow", async () => {
    const site = createSite()
    const ids = new Set<string | undefined>()
    for (let i = 0; i < 3; i++) {
      const { cookies, state } = await startFlow(site)
      ids.add(findFlow(await callOf(site, { cookies, query: { state } }), providerOf(site), site.runtime)?.id)
    }
    expect(ids.size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/)
  })

  it("returns true in only one of the processes that share an adapter", async () => {
    const adapter = MemoryAdapter()
    const consumers = await consumersOf({ adapter }, { adapter }, { adapter })
    const consumed = await Promise.all(consumers.map((consume) => consume()))
    expect(consumed.filter(Boolean)).toHaveLength(1)
  })
})
