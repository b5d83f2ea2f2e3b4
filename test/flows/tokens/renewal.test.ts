/** Renewals of tokens by several calls and processes. */
import { setTimeout as pause } from "node:timers/promises"
import { guardProcess } from "../support/guard.js"
import { createTokenSite, HOUR_MS } from "./token-site.js"

guardProcess()

describe("a renewal in the background", () => {
  it("is not repeated for each call while the provider fails, and its failure is logged once", async () => {
    const site = createTokenSite({ respond: () => new Response("", { status: 503 }) })
    const worker = site.start()
    await worker.signIn()
    site.time.now += HOUR_MS * 0.95
    for (let call = 0; call < 50; call++) {
      expect(await worker.ask()).toBe("at1")
      await pause(2)
    }
    expect(site.calls).toHaveLength(1)
    expect(worker.records).toMatchObject([{ level: "error", error: { type: "ProviderUnavailable" } }])
    site.time.now += 2_000
    await worker.ask()
    await pause(20)
    expect(site.calls).toHaveLength(2)
  })
})
