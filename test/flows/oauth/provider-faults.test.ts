import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { ProviderMode } from "../../support/faulty-provider.js"
import { listen } from "../../support/listen.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { SELF_SIGNED } from "../support/self-signed.js"
import {
  begin,
  flowCookies,
  openCallback,
  param,
  type Site,
  type SiteOptions,
  sessionOf,
  signIn,
  startAndApprove,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

type Fault = NonNullable<NonNullable<ProviderMode["fault"]>["token"]>

const OUTAGES: readonly (readonly [string, Fault, RegExp])[] = [
  ["status 500", { status: 500, body: { message: "oops" } }, /500/],
  ["status 503 with an HTML page", { status: 503, body: "<h1>down</h1>" }, /503/],
  ["status 429", { status: 429, headers: { "retry-after": "5" }, body: "slow down" }, /429/],
  ["a redirect", { status: 302, headers: { location: "https://evil.test" } }, /302/],
  ["an HTML page", "html", /JSON/],
  ["truncated JSON", "malformed", /JSON/],
  ["an empty body", "empty", /JSON/],
  ["a JSON array", { status: 200, body: [1] }, /JSON/],
  ["null", { status: 200, body: null as unknown as object }, /JSON/],
  ["a reset connection", "reset", /reset|hang up|terminated|ECONNRESET|other side closed/i],
]

/** An origin with a closed port. */
async function closedOrigin(): Promise<string> {
  const { origin, close } = await listen(createServer())
  await close()
  return origin
}

describeServers("provider failures", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)
  const rows = <T>(all: readonly T[]) => (stage === "Auth()" || stage === "Express 5" ? all : all.slice(0, 2))

  /** Expects that a sign-in fails at its start: the sign-in page, one log record, no cookie. */
  async function expectStartFails(site: Site, reason: RegExp): Promise<void> {
    const browser = site.app.browser()
    site.forget()
    const page = await begin(browser, { callbackUrl: "/cart" })
    expect([page.status, new URL(page.location).pathname]).toEqual([302, "/auth/signin"])
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect(param(page.location, "callbackUrl")).toBe(`${site.app.origin}/cart`)
    expect(site.failures()).toHaveLength(1)
    expect(Object(site.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
    expect(site.logText()).toMatch(reason)
    expect([flowCookies(browser), await sessionOf(browser)]).toEqual([[], null])
  }

  it.each(rows(OUTAGES))(
    "FLT-06: redirects to the sign-in page after %s from the token endpoint",
    async (_, token, reason) =>
      expectRefused(await createSite(), { mode: { fault: { token } }, reason, tokenCalls: 1 }),
  )

  it.each(rows(OUTAGES))(
    "FLT-06: redirects to the sign-in page after %s from userinfo",
    async (_, userinfo, reason) => {
      const site = await createSite({ providers: [op.oidc({ idToken: false })] })
      const shape = reason.source === "JSON" ? /JSON|content-type|object/ : reason
      await expectRefused(site, { mode: { fault: { userinfo } }, reason: shape, tokenCalls: 1 })
    },
  )

  it.each(rows(OUTAGES))(
    "FLT-06: redirects to the sign-in page after %s from discovery, and recovers",
    async (_, discovery, reason) => {
      let now = Date.now()
      const site = await createSite({ config: { clock: () => now } })
      op.set({ fault: { discovery } })
      await expectStartFails(site, reason)
      op.reset()
      now += 1001
      const browser = site.app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    },
  )

  it.each(rows(OUTAGES))(
    "FLT-06: redirects to the sign-in page after %s from the JWKS, and recovers",
    async (_, jwks, reason) => {
      let now = Date.now()
      const site = await createSite({ config: { clock: () => now } })
      op.set({ fault: { jwks } })
      const browser = site.app.browser()
      const page = await signIn(browser, op)
      expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
      expect(site.failures()).toHaveLength(1)
      expect(site.logText()).toMatch(reason)
      expect([flowCookies(browser), await sessionOf(browser)]).toEqual([[], null])
      op.reset()
      now += 1001
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    },
  )

  it("FLT-06: accepts JSON with another content type and a token_type in upper case", async () => {
    const site = await createSite({
      mode: { fault: { userinfo: "wrong-type" }, token: (json) => ({ ...json, token_type: "BEARER" }) },
    })
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("FLT-08: redirects to the sign-in page if the host is unknown, the port is closed or TLS fails", async () => {
    const tls = await listen(createTlsServer(SELF_SIGNED, (_, res) => void res.end("{}")))
    const wrong = tls.origin.replace("http:", "https:")
    const issuers: [string, RegExp][] = [
      ["https://no-such-host.invalid", /ENOTFOUND|EAI_AGAIN|getaddrinfo/],
      [await closedOrigin(), /ECONNREFUSED/],
      [wrong, /self[- ]signed|certificate/i],
      [op.issuer.replace("http:", "https:"), /SSL|TLS|packet length|wrong version|EPROTO|ECONNRESET|socket/i],
    ]
    for (const [issuer, reason] of issuers)
      await expectStartFails(await createSite({ providers: [op.oidc({ issuer })] }), reason)
    await tls.close()
  })

  it("FLT-08: sends a code only once, even if the connection is reset", async () => {
    const site = await createSite()
    op.set({ fault: { token: "reset" } })
    await signIn(site.app.browser(), op)
    expect(op.count("/token")).toBe(1)
  })

  it("FLT-09: requests the metadata once per second while the provider is down, and recovers", async () => {
    let now = Date.now()
    const site = await createSite({ config: { clock: () => now } })
    op.set({ fault: { discovery: { status: 503 } } })
    const startFifty = () => Promise.all(Array.from({ length: 50 }, () => begin(site.app.browser())))
    for (const page of await startFifty()) expect(page.location).toContain("error=OAuthCallbackError")
    await startFifty()
    expect(op.count("discovery")).toBe(1)
    now += 1001
    await startFifty()
    expect(op.count("discovery")).toBe(2)
    op.reset()
    now += 1001
    for (const page of await startFifty()) expect(page.location).toContain(`${op.base}/authorize?`)
    expect(op.count("discovery")).toBe(3)
  })

  it("FLT-03: uses the cached metadata and keys while the provider is down", async () => {
    let now = Date.now()
    const site = await createSite({ config: { clock: () => now }, mode: {} })
    await signIn(site.app.browser(), op)
    now += 60 * 60 * 1000 + 1000
    op.set({ fault: { discovery: { status: 503 }, jwks: "reset" }, clockOffsetSeconds: 3601 })
    for (let i = 0; i < 3; i++) {
      const browser = site.app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    }
    // Retried once per second, not at each sign-in.
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([2, 2])
  })

  it("FLT-10: redeems a code once if the browser sends the callback three times concurrently", async () => {
    const site = await createSite({ mode: { reusableCodes: true } })
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op)
    const clones = [browser.clone(), browser.clone(), browser.clone()]
    const pages = await Promise.all(clones.map((clone) => openCallback(clone, op, back)))
    expect(op.count("/token")).toBe(1)
    const ends = pages.map(({ location }) => param(location, "error")).sort()
    expect(ends).toEqual(["", "OAuthCallbackError", "OAuthCallbackError"])
    const sessions = await Promise.all(clones.map(sessionOf))
    expect(sessions.filter((session) => session !== null)).toHaveLength(1)
    expect(site.events.filter(({ name }) => name === "signIn")).toHaveLength(1)
  })

  it("FLT-10: rejects a replayed callback even with the original cookie", async () => {
    const site = await createSite({ mode: { reusableCodes: true } })
    const attempt = async (browser: Browser) => {
      const user = browser.clone()
      const back = await startAndApprove(user, op)
      const thief = user.clone()
      await openCallback(user, op, back)
      site.forget()
      for (const cookie of thief.jar.all()) if (/state/.test(cookie.name)) browser.jar.put(cookie)
      return openCallback(browser, op, back)
    }
    const browser = site.app.browser()
    const page = await attempt(browser)
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect([op.count("/token"), flowCookies(browser), await sessionOf(browser)]).toEqual([1, [], null])
    expect(site.logText()).toMatch(/already finished/)
  })

  it.each(["oldest", "newest"])("FLT-11: finishes the sign-ins of two tabs, the %s one first", async (order) => {
    const site = await createSite()
    const browser = site.app.browser()
    const [a, b] = [await begin(browser, { callbackUrl: "/a" }), await begin(browser, { callbackUrl: "/b" })]
    expect(flowCookies(browser)).toHaveLength(2)
    const tabs = [
      { start: a, lands: "/a" },
      { start: b, lands: "/b" },
    ]
    for (const { start, lands } of order === "oldest" ? tabs : tabs.reverse()) {
      const page = await openCallback(browser, op, await op.authorize(start.location))
      expect(page.location).toBe(site.app.origin + lands)
      expect(await sessionOf(browser)).not.toBeNull()
    }
    expect(flowCookies(browser)).toEqual([])
  })

  it.each([30, -30])("FLT-13: accepts a provider clock that is %i s off", async (clockOffsetSeconds) => {
    const site = await createSite({ mode: { clockOffsetSeconds } })
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("FLT-13: rejects a provider clock that is five minutes ahead, and logs the reason", async () =>
    expectRefused(await createSite(), {
      mode: { clockOffsetSeconds: 300 },
      reason: /from the future: compare the clocks/,
    }))

  it("FLT-13: rejects a provider clock that is so far behind that its token has expired", async () => {
    const claims: ProviderMode["claims"] = (own) => ({ ...own, exp: Number(own["iat"]) + 240 })
    await expectRefused(await createSite(), {
      mode: { clockOffsetSeconds: -300, claims },
      reason: /"exp".*expiration is past/,
    })
  })

  it("FLT-13: compares times with the configured clock", async () => {
    const hours = 5 * 3600
    const site = await createSite({
      mode: { clockOffsetSeconds: hours },
      config: { clock: () => Date.now() + hours * 1000 },
    })
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(site.failures()).toEqual([])
    expect(site.events.map(({ name }) => name)).toContain("signIn")
  })
})
