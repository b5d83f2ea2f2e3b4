import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { listen } from "../support/listen.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { SELF_SIGNED } from "./support/self-signed.js"
import {
  begin,
  comeBack,
  flowCookies,
  goAndAgree,
  param,
  type Site,
  type SiteOptions,
  sessionOf,
  signIn,
  startSite,
} from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

type Fault = NonNullable<NonNullable<ProviderMode["fault"]>["token"]>

const OUTAGES: readonly (readonly [string, Fault, RegExp])[] = [
  ["status 500", { status: 500, body: { message: "oops" } }, /500/],
  ["status 503 with a page", { status: 503, body: "<h1>down</h1>" }, /503/],
  ["status 429", { status: 429, headers: { "retry-after": "5" }, body: "slow down" }, /429/],
  ["a redirect", { status: 302, headers: { location: "https://evil.test" } }, /302/],
  ["a page", "html", /JSON/],
  ["half a JSON", "malformed", /JSON/],
  ["nothing", "empty", /JSON/],
  ["JSON that is no object", { status: 200, body: [1] }, /JSON/],
  ["null", { status: 200, body: null as unknown as object }, /JSON/],
  ["a cut connection", "reset", /reset|hang up|terminated|ECONNRESET|other side closed/i],
]

/** An address where nobody listens. */
async function closedOrigin(): Promise<string> {
  const { origin, close } = await listen(createServer())
  await close()
  return origin
}

describeServers("a provider that fails", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)
  const rows = <T>(all: readonly T[]) => (stage === "Auth()" || stage === "Express 5" ? all : all.slice(0, 2))

  /** A sign-in that can't begin: on the sign-in page, said once in the log, nothing left behind. */
  async function expectNotBegun(one: Site, reason: RegExp): Promise<void> {
    const browser = one.app.browser()
    one.forget()
    const page = await begin(browser, { callbackUrl: "/cart" })
    expect([page.status, new URL(page.location).pathname]).toEqual([302, "/auth/signin"])
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect(param(page.location, "callbackUrl")).toBe(`${one.app.origin}/cart`)
    expect(one.failures()).toHaveLength(1)
    expect(Object(one.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
    expect(one.logText()).toMatch(reason)
    expect([flowCookies(browser), await sessionOf(browser)]).toEqual([[], null])
  }

  it.each(rows(OUTAGES))("FLT-06: answers %s of the token endpoint with the sign-in page", async (_, token, reason) =>
    expectRefused(await site(), { mode: { fault: { token } }, reason, tokenCalls: 1 }),
  )

  it.each(rows(OUTAGES))("FLT-06: answers %s of userinfo with the sign-in page", async (_, userinfo, reason) => {
    const one = await site({ providers: [op.oidc({ idToken: false })] })
    const shape = reason.source === "JSON" ? /JSON|content-type|object/ : reason
    await expectRefused(one, { mode: { fault: { userinfo } }, reason: shape, tokenCalls: 1 })
  })

  it.each(rows(OUTAGES))("FLT-06: answers %s of discovery so", async (_, discovery, reason) => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now } })
    op.set({ fault: { discovery } })
    await expectNotBegun(one, reason)
    op.reset()
    now += 1001
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(rows(OUTAGES))("FLT-06: answers %s of the JWKS so", async (_, jwks, reason) => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now } })
    op.set({ fault: { jwks } })
    const browser = one.app.browser()
    const page = await signIn(browser, op)
    expect(page.location).toBe(`${one.app.origin}/auth/signin?error=OAuthCallbackError`)
    expect(one.failures()).toHaveLength(1)
    expect(one.logText()).toMatch(reason)
    expect([flowCookies(browser), await sessionOf(browser)]).toEqual([[], null])
    op.reset()
    now += 1001
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("FLT-06: does not mind JSON under another name, nor a token_type in other letters", async () => {
    const one = await site({
      mode: { fault: { userinfo: "wrong-type" }, token: (json) => ({ ...json, token_type: "BEARER" }) },
    })
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("FLT-08: answers a host that is not there, nobody listening and a bad certificate with the sign-in page", async () => {
    const tls = await listen(createTlsServer(SELF_SIGNED, (_, res) => void res.end("{}")))
    const wrong = tls.origin.replace("http:", "https:")
    const issuers: [string, RegExp][] = [
      ["https://no-such-host.invalid", /ENOTFOUND|EAI_AGAIN|getaddrinfo/],
      [await closedOrigin(), /ECONNREFUSED/],
      [wrong, /self[- ]signed|certificate/i],
      [op.issuer.replace("http:", "https:"), /SSL|TLS|packet length|wrong version|EPROTO|ECONNRESET|socket/i],
    ]
    for (const [issuer, reason] of issuers)
      await expectNotBegun(await site({ providers: [op.oidc({ issuer })] }), reason)
    await tls.close()
  })

  it("FLT-08: sends a code once, whatever becomes of it", async () => {
    const one = await site()
    op.set({ fault: { token: "reset" } })
    await signIn(one.app.browser(), op)
    expect(op.count("/token")).toBe(1)
  })

  it("FLT-09: asks a provider that is down once in a second, and is back when it is", async () => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now } })
    op.set({ fault: { discovery: { status: 503 } } })
    const hundred = () => Promise.all(Array.from({ length: 50 }, () => begin(one.app.browser())))
    for (const page of await hundred()) expect(page.location).toContain("error=OAuthCallbackError")
    await hundred()
    expect(op.count("discovery")).toBe(1)
    now += 1001
    await hundred()
    expect(op.count("discovery")).toBe(2)
    op.reset()
    now += 1001
    for (const page of await hundred()) expect(page.location).toContain(`${op.base}/authorize?`)
    expect(op.count("discovery")).toBe(3)
  })

  it("FLT-03: goes on with the metadata and keys it has while the provider is down", async () => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now }, mode: {} })
    await signIn(one.app.browser(), op)
    now += 60 * 60 * 1000 + 1000
    op.set({ fault: { discovery: { status: 503 }, jwks: "reset" }, clockOffsetSeconds: 3601 })
    for (let i = 0; i < 3; i++) {
      const browser = one.app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    }
    // Tried once in a second, not at each sign-in.
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([2, 2])
  })

  it("FLT-10: spends a code once, though the browser sends it twice at once", async () => {
    const one = await site({ mode: { reusableCodes: true } })
    const browser = one.app.browser()
    const back = await goAndAgree(browser, op)
    const twins = [browser.clone(), browser.clone(), browser.clone()]
    const pages = await Promise.all(twins.map((twin) => comeBack(twin, op, back)))
    expect(op.count("/token")).toBe(1)
    const ends = pages.map(({ location }) => param(location, "error")).sort()
    expect(ends).toEqual(["", "OAuthCallbackError", "OAuthCallbackError"])
    const sessions = await Promise.all(twins.map(sessionOf))
    expect(sessions.filter((session) => session !== null)).toHaveLength(1)
    expect(one.events.filter(({ name }) => name === "signIn")).toHaveLength(1)
  })

  it("FLT-10: refuses the answer a second time, also with the cookie that it had", async () => {
    const one = await site({ mode: { reusableCodes: true } })
    const attempt = async (browser: Browser) => {
      const before = browser.clone()
      const back = await goAndAgree(before, op)
      const thief = before.clone()
      await comeBack(before, op, back)
      one.forget()
      for (const cookie of thief.jar.all()) if (/state/.test(cookie.name)) browser.jar.put(cookie)
      return comeBack(browser, op, back)
    }
    const browser = one.app.browser()
    const page = await attempt(browser)
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect([op.count("/token"), flowCookies(browser), await sessionOf(browser)]).toEqual([1, [], null])
    expect(one.logText()).toMatch(/finished already/)
  })

  it.each(["first begun", "last begun"])("FLT-11: finishes both of two tabs, the %s first", async (order) => {
    const one = await site()
    const browser = one.app.browser()
    const [a, b] = [await begin(browser, { callbackUrl: "/a" }), await begin(browser, { callbackUrl: "/b" })]
    expect(flowCookies(browser)).toHaveLength(2)
    const tabs = [
      { begun: a, lands: "/a" },
      { begun: b, lands: "/b" },
    ]
    for (const { begun, lands } of order === "first begun" ? tabs : tabs.reverse()) {
      const page = await comeBack(browser, op, await op.authorize(begun.location))
      expect(page.location).toBe(one.app.origin + lands)
      expect(await sessionOf(browser)).not.toBeNull()
    }
    expect(flowCookies(browser)).toEqual([])
  })

  it.each([30, -30])("FLT-13: does not mind a provider's clock %i s off", async (clockOffsetSeconds) => {
    const one = await site({ mode: { clockOffsetSeconds } })
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("FLT-13: refuses one that is five minutes ahead, and says why", async () =>
    expectRefused(await site(), { mode: { clockOffsetSeconds: 300 }, reason: /from the future: compare the clocks/ }))

  it("FLT-13: refuses one that is so far behind that its token has expired", async () => {
    const claims: ProviderMode["claims"] = (own) => ({ ...own, exp: Number(own["iat"]) + 240 })
    await expectRefused(await site(), {
      mode: { clockOffsetSeconds: -300, claims },
      reason: /"exp".*expiration is past/,
    })
  })

  it("FLT-13: measures by the application's clock", async () => {
    const hours = 5 * 3600
    const one = await site({ mode: { clockOffsetSeconds: hours }, config: { clock: () => Date.now() + hours * 1000 } })
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(one.failures()).toEqual([])
    expect(one.events.map(({ name }) => name)).toContain("signIn")
  })
})
