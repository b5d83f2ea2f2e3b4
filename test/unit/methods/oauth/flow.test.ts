import { dropFlow, findFlow, hasFlowCookie } from "../../../../lib/methods/oauth/flow.js"
import { seal } from "../../../../lib/security/jwe.js"
import { hashFlowKey } from "../../../../lib/security/sealed-flows.js"
import { callOf, createSite, NOW, ORIGIN, providerOf, startFlow, type TestSite } from "./test-site.js"

const COOKIE = "__Host-authjs.state"
const MINUTE_MS = 60_000

interface Callback {
  readonly cookies: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly provider?: string
}

/** Returns the flow that the callback belongs to. */
async function lookUpFlow(site: TestSite, { cookies, query = {}, provider = "acme" }: Callback) {
  const call = await callOf(site, { path: `/callback/${provider}`, query, cookies })
  return findFlow(call, providerOf(site, provider), site.runtime)?.flow
}

async function clearFlow(site: TestSite, { cookies, query = {}, provider = "acme" }: Callback) {
  const call = await callOf(site, { path: `/callback/${provider}`, query, cookies })
  return dropFlow(call, providerOf(site, provider))
}

describe("findFlow and dropFlow", () => {
  it("find the flow whose state is in the callback", async () => {
    const site = createSite()
    const first = await startFlow(site)
    const { cookies, state } = await startFlow(site, { cookies: first.cookies })
    expect((await lookUpFlow(site, { cookies, query: { state } }))?.state).toBe(state)
    expect((await lookUpFlow(site, { cookies, query: { state: first.state } }))?.state).toBe(first.state)
  })

  it.each([{}, { state: "" }, { state: "another" }, { state: "provider:acme" }])(
    "OID-34: find no flow for the query %j",
    async (query) => {
      const site = createSite()
      const { cookies } = await startFlow(site)
      expect(await lookUpFlow(site, { cookies, query })).toBeUndefined()
      expect(await clearFlow(site, { cookies, query })).toEqual([])
    },
  )

  it("OID-34: find no flow in another browser", async () => {
    const site = createSite()
    const { state } = await startFlow(site)
    const other = await startFlow(site)
    expect(await lookUpFlow(site, { cookies: other.cookies, query: { state } })).toBeUndefined()
  })

  it("ADV-13: find no flow at the callback of another provider", async () => {
    const site = createSite([{ id: "acme" }, { id: "other" }])
    const { cookies, state } = await startFlow(site)
    expect(await lookUpFlow(site, { cookies, query: { state }, provider: "other" })).toBeUndefined()
    expect(await lookUpFlow(site, { cookies, query: { state } })).toBeDefined()
  })

  it("ADV-13: find no flow if the path of the redirect URI differs", async () => {
    const { cookies, state } = await startFlow(createSite({}, { redirectProxyUrl: `${ORIGIN}/other` }))
    expect(await lookUpFlow(createSite(), { cookies, query: { state } })).toBeUndefined()
    const same = createSite({}, { redirectProxyUrl: "http://localhost/other" })
    expect((await lookUpFlow(same, { cookies, query: { state } }))?.returnPath).toBe("/other/callback/acme")
  })

  it("find the only flow of the provider if the provider does not check the state", async () => {
    const site = createSite([
      { id: "acme", checks: ["pkce"] },
      { id: "other", checks: ["pkce"] },
    ])
    const { cookies } = await startFlow(site)
    const flow = await lookUpFlow(site, { cookies, query: { state: "whatever" } })
    expect(flow?.verifier).toMatch(/^[\w-]{43}$/)
    expect(await lookUpFlow(site, { cookies, provider: "other" })).toBeUndefined()
    expect(await clearFlow(site, { cookies })).toEqual([{ drop: "state", part: hashFlowKey("provider:acme") }])
  })

  it.each([
    [15 * MINUTE_MS, true],
    // Clocks may differ by 15 seconds.
    [15 * MINUTE_MS + 15_000, false],
  ])("find a flow for 15 minutes: after %d ms it is found: %s", async (after, isValid) => {
    const site = createSite()
    const { cookies, state } = await startFlow(site)
    site.time.now += after
    expect((await lookUpFlow(site, { cookies, query: { state } })) !== undefined).toBe(isValid)
  })

  it("find no flow in a cookie that was sealed for another purpose or holds no flow", async () => {
    const site = createSite()
    const { keys } = site.runtime
    const sealed = (purpose: string, flow: unknown) => ({
      [`${COOKIE}.${hashFlowKey("s")}`]: seal({ flow }, keys.for(purpose), 60, NOW),
    })
    const flow = { provider: "acme", state: "s", callbackUrl: ORIGIN }
    const query = { state: "s" }
    expect(await lookUpFlow(site, { cookies: sealed("latchkey.flow", flow), query })).toEqual(flow)
    for (const purpose of ["latchkey.challenge", "latchkey.form_post", "authjs.session-token", ""])
      expect(await lookUpFlow(site, { cookies: sealed(purpose, flow), query })).toBeUndefined()
    for (const odd of [undefined, null, "acme", ["acme"], {}])
      expect(await lookUpFlow(site, { cookies: sealed("latchkey.flow", odd), query })).toBeUndefined()
  })

  it("clear only the cookie of the flow, whether it can be decrypted or not", async () => {
    const site = createSite()
    const first = await startFlow(site)
    const { cookies, state } = await startFlow(site, { cookies: first.cookies })
    const drop = [{ drop: "state", part: hashFlowKey(state) }]
    expect(await clearFlow(site, { cookies, query: { state } })).toEqual(drop)
    const broken = { ...cookies, [`${COOKIE}.${hashFlowKey(state)}`]: "broken" }
    expect(await clearFlow(site, { cookies: broken, query: { state } })).toEqual(drop)
  })
})

it("hasFlowCookie is true if the flow's cookie exists, even if it can't be decrypted", async () => {
  const site = createSite()
  const { cookies, state } = await startFlow(site)
  const has = async (own: Record<string, string>, query: Record<string, string>) =>
    hasFlowCookie(await callOf(site, { query, cookies: own }), providerOf(site))
  expect(await has(cookies, { state })).toBe(true)
  expect(await has({ [`${COOKIE}.${hashFlowKey(state)}`]: "broken" }, { state })).toBe(true)
  expect(await has(cookies, { state: "another" })).toBe(false)
  expect(await has({}, { state })).toBe(false)
})

describe("startOAuth with flow cookies", () => {
  const names = (cookies: object) => Object.keys(cookies).filter((name) => name.startsWith(`${COOKIE}.`))
  const startFlowAt = (site: TestSite, second: number, cookies: Record<string, string>, query = {}) => {
    site.time.now = NOW + second * 1000
    return startFlow(site, { cookies, query })
  }

  it("keeps each flow in a cookie of its own, which expires with the flow", async () => {
    const { changes, state } = await startFlow(createSite())
    expect(changes).toEqual([
      { put: "state", part: hashFlowKey(state), value: expect.any(String), expires: new Date(NOW + 15 * MINUTE_MS) },
    ])
    expect(hashFlowKey(state)).toMatch(/^[\w-]{16}$/)
  })

  it("keeps at most five flows in a browser, and drops the oldest", async () => {
    const site = createSite()
    let cookies: Record<string, string> = {}
    const states: string[] = []
    for (let second = 0; second < 8; second++) {
      const started = await startFlowAt(site, second, cookies)
      cookies = started.cookies
      states.push(started.state)
      expect(names(cookies)).toHaveLength(Math.min(second + 1, 5))
    }
    const latest = states.slice(-5).map((state) => `${COOKIE}.${hashFlowKey(state)}`)
    expect(names(cookies).sort()).toEqual(latest.sort())
  })

  it("drops flows by age, not by the order of the cookies", async () => {
    const site = createSite()
    let cookies: Record<string, string> = {}
    const states: string[] = []
    for (let second = 0; second < 5; second++) {
      const started = await startFlowAt(site, second, cookies)
      states.push(started.state)
      cookies = Object.fromEntries(Object.entries(started.cookies).reverse())
    }
    const { cookies: after } = await startFlowAt(site, 5, cookies)
    expect(after).not.toHaveProperty([`${COOKIE}.${hashFlowKey(states[0] ?? "")}`])
    expect(names(after)).toHaveLength(5)
  })

  it("drops cookies that can't be decrypted first", async () => {
    const site = createSite()
    let cookies: Record<string, string> = { [`${COOKIE}.${"x".repeat(16)}`]: "broken" }
    for (let second = 0; second < 5; second++) cookies = (await startFlowAt(site, second, cookies)).cookies
    expect(names(cookies)).toHaveLength(5)
    expect(Object.values(cookies)).not.toContain("broken")
  })

  it("keeps at most 3000 characters of older flows, because the session needs the rest of the header", async () => {
    const site = createSite()
    const fake = (letter: string, size: number) => ({ [`${COOKIE}.${letter.repeat(16)}`]: "x".repeat(size) })
    const { cookies: fits } = await startFlow(site, { cookies: { ...fake("a", 1_500), ...fake("b", 1_500) } })
    expect(names(fits)).toHaveLength(3)
    const { cookies: tooMany } = await startFlow(site, { cookies: { ...fake("a", 1_500), ...fake("b", 1_501) } })
    expect(names(tooMany)).toHaveLength(2)
  })

  it("keeps an older flow only while all cookies stay within session.maxCookieSize", async () => {
    const site = createSite()
    const { changes } = await startFlow(site)
    const newSize = changes.reduce((sum, change) => sum + ("put" in change ? change.value.length : 0), 0)
    const older = { [`${COOKIE}.${"a".repeat(16)}`]: "x".repeat(1_000) }
    const rest = `session=; ${Object.entries(older).map((pair) => pair.join("="))}`.length
    const beside = (session: number) => startFlow(site, { cookies: { session: "s".repeat(session), ...older } })
    const most = 7_168 - newSize - rest
    expect(names((await beside(most)).cookies)).toHaveLength(2)
    expect(names((await beside(most + 1)).cookies)).toHaveLength(1)
    expect(names((await beside(11_000)).cookies)).toHaveLength(1)
  })

  it("clears planted cookies ten at a time", async () => {
    const site = createSite()
    const planted = Array.from({ length: 30 }, (_, i) => [`${COOKIE}.${String(i).padStart(16, "x")}`, "broken"])
    const once = await startFlow(site, { cookies: Object.fromEntries(planted) })
    expect(names(once.cookies)).toHaveLength(30 - 10 + 1)
    const twice = await startFlow(site, { cookies: once.cookies })
    expect(names(twice.cookies)).toHaveLength(30 - 20 + 2)
  })

  it("does not clear other cookies with similar names", async () => {
    const site = createSite()
    const tails = [
      "",
      ".",
      ".0",
      `.${"x".repeat(15)}`,
      `.${"x".repeat(17)}`,
      `.${"x".repeat(15)}!`,
      `x.${"x".repeat(16)}`,
    ]
    const similar = Object.fromEntries(tails.map((tail) => [COOKIE + tail, "x".repeat(4_000)]))
    const { cookies } = await startFlow(site, { cookies: similar })
    expect(cookies).toMatchObject(similar)
  })
})
