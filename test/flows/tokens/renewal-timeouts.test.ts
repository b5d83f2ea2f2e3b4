/**
 * Renewals that take too long, because a function of the application, the store or the provider does not respond. The
 * tests wait concurrently.
 */
import { setTimeout as pause } from "node:timers/promises"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"
import { guardProcess } from "../support/guard.js"
import { createTokenSite, HOUR_MS, never, within } from "./token-site.js"

guardProcess()
jest.setTimeout(60_000)

describe("a renewal with a hanging dependency", () => {
  type Hang = (hangs: () => boolean) => object
  const HANGS: Readonly<Record<string, Hang>> = {
    clientSecret: (hangs) => ({ clientSecret: () => (hangs() ? never() : "secret") }),
    "token.refresh": (hangs) => ({
      token: {
        url: "https://op.test/token",
        refresh: ({ refreshToken, fetch: send }: { refreshToken: string; fetch: typeof fetch }) =>
          hangs()
            ? never()
            : send("https://op.test/token", {
                method: "POST",
                body: new URLSearchParams({ refresh_token: refreshToken }),
              }),
      },
    }),
    "token.conform": (hangs) => ({
      token: { url: "https://op.test/token", conform: () => (hangs() ? never() : undefined) },
    }),
  }

  it.concurrent.each(Object.keys(HANGS))(
    "ends if %s does not settle, and the next call starts another one",
    async (name) => {
      let isHanging = false
      const site = createTokenSite({ provider: HANGS[name]?.(() => isHanging) ?? {} })
      const worker = site.start()
      await worker.signIn()
      site.time.now += HOUR_MS
      isHanging = true
      expect(await within(10_000, worker.ask())).toBe("ProviderUnavailable")
      isHanging = false
      site.time.now += 3_000
      const isLost = name === "token.conform"
      expect(await within(10_000, worker.ask())).toBe(isLost ? "ReauthenticationRequired" : "at2")
    },
  )

  it.concurrent.each(["list", "get", "set"] as const)("ends if store.%s does not settle", async (name) => {
    const memory = MemoryStore()
    let isHanging = false
    const operation = memory[name] as (...args: unknown[]) => Promise<unknown>
    const store = { ...memory, [name]: (...args: unknown[]) => (isHanging ? never() : operation(...args)) }
    const site = createTokenSite({ store })
    const worker = site.start()
    await worker.signIn()
    site.time.now += HOUR_MS
    isHanging = true
    const [first, second] = await Promise.all([within(7_000, worker.ask()), within(7_000, worker.ask())])
    expect([first, second]).toEqual(["AdapterError", "AdapterError"])
    isHanging = false
    expect(await within(12_000, worker.ask())).toBe("at2")
  })
})

it.concurrent("tokens are deleted even if their revocation does not settle", async () => {
  let isHanging = false
  const site = createTokenSite({
    provider: {
      issuer: "https://op.test",
      userinfo: undefined,
      clientSecret: () => (isHanging ? never() : "secret"),
    },
    respond: ({ path }) =>
      path === "/.well-known/openid-configuration"
        ? Response.json({ issuer: "https://op.test", revocation_endpoint: "https://op.test/revoke" })
        : undefined,
  })
  const worker = site.start()
  await worker.signIn()
  isHanging = true
  expect(
    await within(
      10_000,
      worker.disconnect().then(() => "done"),
    ),
  ).toBe("done")
  expect(await worker.ask()).toBe("ReauthenticationRequired")
  expect(worker.records.map(({ level }) => level)).toEqual(["error"])
})

describe("a renewal by one of two processes", () => {
  const METADATA = { issuer: "https://op.test", token_endpoint: "https://op.test/token" }
  const DISCOVERED = { issuer: METADATA.issuer, authorization: undefined, token: undefined, userinfo: undefined }

  /** Starts two processes without cached metadata, at a provider that responds slowly. */
  async function startWithSlowProvider({ metadataMs, tokenMs }: { metadataMs: number; tokenMs: number }) {
    const site = createTokenSite({
      provider: DISCOVERED,
      async respond({ path }) {
        const isMetadata = path === "/.well-known/openid-configuration"
        await pause(isMetadata ? metadataMs : tokenMs)
        return isMetadata ? Response.json(METADATA) : undefined
      },
    })
    const [first, second] = [site.start(), site.start()]
    await first.signIn()
    site.time.now += HOUR_MS
    return { ...site, askBoth: () => Promise.all([first.ask(), pause(100).then(() => second.ask())]) }
  }

  it.concurrent("waits for the metadata and the tokens together, and sends the refresh token once", async () => {
    const site = await startWithSlowProvider({ metadataMs: 2_700, tokenMs: 2_700 })
    expect(await site.askBoth()).toEqual(["at2", "at2"])
    expect(site.usedRefreshTokens()).toEqual(["rt1"])
  })

  it.concurrent("is abandoned before another process takes over if the metadata and the tokens together take too long", async () => {
    const site = await startWithSlowProvider({ metadataMs: 6_000, tokenMs: 6_000 })
    expect(await site.askBoth()).toEqual(["ProviderUnavailable", "ProviderUnavailable"])
    expect(site.usedRefreshTokens()).toEqual(["rt1"])
  })

  it.concurrent("does not send the refresh token if the metadata arrives too late", async () => {
    const site = await startWithSlowProvider({ metadataMs: 7_000, tokenMs: 0 })
    expect(await site.askBoth()).toEqual(["ProviderUnavailable", "ProviderUnavailable"])
    await pause(1_000)
    expect(site.usedRefreshTokens()).toEqual([])
  })

  it.concurrent("is stored before another process takes over, even if the store fails three times", async () => {
    const memory = MemoryStore()
    let failures = 0
    const set: Store["set"] = async (...args) => {
      if (failures > 0 && failures-- > 0) throw new Error("the store failed")
      return memory.set(...args)
    }
    const site = createTokenSite({
      store: { ...memory, set },
      async respond() {
        failures = 3
        await pause(6_000)
        return undefined
      },
    })
    const [first, second] = [site.start(), site.start()]
    await first.signIn()
    site.time.now += HOUR_MS
    expect(await Promise.all([first.ask(), pause(100).then(() => second.ask())])).toEqual(["at2", "at2"])
    expect(site.usedRefreshTokens()).toEqual(["rt1"])
  })
})
