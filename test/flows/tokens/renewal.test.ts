/** Renewals of tokens by several calls and processes. */
import { setTimeout as pause } from "node:timers/promises"
import type { RefreshContext } from "../../../lib/provider-kit/provider.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"
import { until } from "../../support/wait.js"
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

describe("tokens that do not expire", () => {
  const DAY_MS = 86_400_000
  const NEVER = { expires_at: undefined, refresh_token: undefined }

  it("are kept as long as they are used, and not longer than 400 days without use", async () => {
    const site = createTokenSite()
    await site.start().signIn(NEVER)
    for (let month = 1; month <= 14; month++) {
      site.time.now += 31 * DAY_MS
      expect(await site.start().ask()).toBe("at1")
      await pause(5)
    }
    site.time.now += 401 * DAY_MS
    expect(await site.start().ask()).toBe("ReauthenticationRequired")
  })

  it("are not written again at each use", async () => {
    const memory = MemoryStore()
    const set = jest.fn(memory.set)
    const site = createTokenSite({ store: { ...memory, set } })
    await site.start().signIn(NEVER)
    for (let day = 1; day <= 29; day++) {
      site.time.now += DAY_MS
      await site.start().ask()
    }
    await pause(5)
    expect(set).toHaveBeenCalledTimes(1)
    site.time.now += 2 * DAY_MS
    const worker = site.start()
    await Promise.all(Array.from({ length: 20 }, () => worker.ask()))
    await pause(5)
    expect(set).toHaveBeenCalledTimes(2)
  })

  it("are encrypted with the newest secret when they are used, so that the old one can be removed", async () => {
    const [oldest, newest] = ["an old secret", "a new secret"].map((text) => text.padEnd(40, "-"))
    const site = createTokenSite()
    await site.start({ secret: [oldest ?? ""] }).signIn(NEVER)
    expect(await site.start({ secret: [newest ?? "", oldest ?? ""] }).ask()).toBe("at1")
    await pause(5)
    expect(await site.start({ secret: [newest ?? ""] }).ask()).toBe("at1")
  })

  it("are returned even if they can't be written again, and the failure is logged", async () => {
    const memory = MemoryStore()
    let isFailing = false
    const set: Store["set"] = (...args) => (isFailing ? Promise.reject(new Error("full")) : memory.set(...args))
    const site = createTokenSite({ store: { ...memory, set } })
    await site.start().signIn(NEVER)
    isFailing = true
    site.time.now += 31 * DAY_MS
    const worker = site.start()
    expect(await worker.ask()).toBe("at1")
    await pause(5)
    expect(worker.records).toMatchObject([{ level: "error", error: { type: "AdapterError" } }])
  })
})

describe("an account that is disconnected while its tokens are renewed", () => {
  const METADATA = {
    issuer: "https://op.test",
    token_endpoint: "https://op.test/token",
    revocation_endpoint: "https://op.test/revoke",
  }

  function createSite({ tokenMs = 0, store }: { tokenMs?: number; store?: Store } = {}) {
    const site = createTokenSite({
      provider: { issuer: METADATA.issuer, userinfo: undefined },
      ...(store && { store }),
      async respond({ path }) {
        if (path === "/token") await pause(tokenMs)
        return path.startsWith("/.well-known/") ? Response.json(METADATA) : undefined
      },
    })
    const revoked = () => site.calls.filter(({ path }) => path === "/revoke").map(({ form }) => form["token"])
    return { ...site, revoked }
  }

  it("leaves no token that is valid at the provider if the response arrives later", async () => {
    const site = createSite({ tokenMs: 200 })
    const worker = site.start()
    await worker.signIn()
    site.time.now += HOUR_MS
    const result = worker.ask()
    await until(() => site.usedRefreshTokens().length === 1)
    await site.start().disconnect()
    expect(await result).toBe("ReauthenticationRequired")
    expect(site.revoked()).toEqual(["rt1", "rt2"])
    expect(await worker.stored()).toBeUndefined()
  })

  it("leaves no token that is valid at the provider if the response arrives during the removal", async () => {
    const memory = MemoryStore()
    let renew: (() => Promise<unknown>) | undefined
    const remove: Store["delete"] = async (...args) => {
      const first = renew
      renew = undefined
      await first?.()
      return memory.delete(...args)
    }
    const site = createSite({ store: { ...memory, delete: remove } })
    const [worker, other] = [site.start(), site.start()]
    await worker.signIn()
    site.time.now += HOUR_MS
    renew = other.ask
    await worker.disconnect()
    expect(site.revoked()).toEqual(["rt2"])
    expect(await worker.stored()).toBeUndefined()
  })
})

describe("a renewal that concurrent calls share", () => {
  it("returns the tokens of a new sign-in if the provider fails", async () => {
    let fail: (() => void) | undefined
    const site = createTokenSite({
      respond: () =>
        new Promise((resolve) => {
          fail = () => resolve(new Response("", { status: 503 }))
        }),
    })
    const [worker, other] = [site.start(), site.start()]
    await worker.signIn()
    site.time.now += HOUR_MS
    const result = worker.ask()
    await until(() => fail !== undefined)
    await other.signIn()
    fail?.()
    expect([await result, await other.ask()]).toEqual(["at2", "at2"])
    expect(site.calls).toHaveLength(1)
  })

  it("is repeated for a call that has joined it and needs a longer validity", async () => {
    const site = createTokenSite()
    const [worker, other] = [site.start(), site.start()]
    await worker.signIn()
    expect(await worker.ask()).toBe("at1")
    site.time.now += HOUR_MS
    expect(await other.ask()).toBe("at2")
    // The token is valid for 500 s. The first process still caches the expired token.
    site.time.now += HOUR_MS - 500_000
    expect(await Promise.all([worker.ask(), worker.ask({ minValidSeconds: 600 })])).toEqual(["at2", "at3"])
  })

  it("requires a new sign-in if the provider has removed a scope that the call needs", async () => {
    const granted = { access_token: "narrow", refresh_token: "rt2", expires_in: 3600, token_type: "bearer" }
    const site = createTokenSite({ respond: () => Response.json({ ...granted, scope: "profile" }) })
    const worker = site.start()
    await worker.signIn({ scope: "profile calendar" })
    expect(await worker.ask({ scope: "calendar" })).toBe("at1")
    site.time.now += HOUR_MS
    expect(await worker.ask({ scope: "calendar" })).toBe("ReauthenticationRequired")
    expect(await worker.ask({ scope: "profile" })).toBe("narrow")
  })
})

it("a custom refresh request receives the URL of a discovered token endpoint", async () => {
  const metadata = { issuer: "https://op.test", token_endpoint: "https://op.test/token" }
  const refresh = ({ refreshToken, provider, fetch }: RefreshContext) =>
    fetch(provider.token.url, { method: "POST", body: new URLSearchParams({ refresh_token: refreshToken }) })
  const site = createTokenSite({
    provider: { issuer: metadata.issuer, token: { refresh } },
    respond: ({ path }) => (path === "/.well-known/openid-configuration" ? Response.json(metadata) : undefined),
  })
  const worker = site.start()
  await worker.signIn()
  site.time.now += HOUR_MS
  expect(await worker.ask()).toBe("at2")
})

describe("a sign-in that returns no refresh token", () => {
  const KEY = { kty: "EC", crv: "P-256", x: "first", y: "y", d: "d" }
  const LATER = { refresh_token: undefined }

  it.each([
    ["keeps the earlier one", undefined, undefined, "rt1"],
    ["keeps the earlier one that is bound to the same key", KEY, KEY, "rt1"],
    ["does not keep one that is bound to another key", KEY, { ...KEY, x: "second" }, undefined],
  ])("%s", async (_, first, second, expected) => {
    const worker = createTokenSite().start()
    await worker.signIn({}, { dpopKey: first })
    await worker.signIn(LATER, { dpopKey: second })
    expect(await worker.stored()).toMatchObject({ accessToken: "at2" })
    expect((await worker.stored())?.refreshToken).toBe(expected)
  })
})

describe("minValidSeconds", () => {
  it.each([
    [Number.NaN, "NaN"],
    [-1, "-1"],
    ["60", '"60"'],
  ])("rejects %p", async (minValidSeconds, seen) => {
    const worker = createTokenSite().start()
    await worker.signIn()
    expect(await worker.ask({ minValidSeconds: minValidSeconds as number })).toBe(
      `TypeError: minValidSeconds is ${seen}. Pass a number of seconds, for example 60`,
    )
  })
})
