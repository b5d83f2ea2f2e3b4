import { describeServers, TEST_SECRET } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  flowCookies,
  openCallback,
  param,
  type SiteOptions,
  sessionOf,
  startAndApprove,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

describeServers("sign-ins in progress", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("are limited to five per browser; the oldest is dropped first", async () => {
    let now = Date.now()
    const site = await createSite({ config: { clock: () => now } })
    const browser = site.app.browser()
    const tabs: string[] = []
    for (let i = 0; i < 7; i++) {
      now += 1000
      tabs.push(await op.authorize((await begin(browser, { callbackUrl: `/${i}` })).location))
    }
    expect(flowCookies(browser)).toHaveLength(5)
    for (const [i, back] of tabs.entries()) {
      const page = await openCallback(browser, op, back)
      if (i < 2) expect(param(page.location, "error")).toBe("OAuthCallbackError")
      else expect(page.location).toBe(`${site.app.origin}/${i}`)
    }
    expect(flowCookies(browser)).toEqual([])
  })

  it("expire after 15 minutes", async () => {
    let now = Date.now()
    // A real browser drops an expired cookie; the browser of this test keeps it.
    const site = await createSite({ config: { clock: () => now } })
    const browser = site.app.browser({ now: () => 0 })
    const [early, late] = [await startAndApprove(browser, op), await startAndApprove(browser, op)]
    now += 14 * 60_000
    op.set({ clockOffsetSeconds: 14 * 60 })
    await openCallback(browser, op, early)
    expect(await sessionOf(browser)).not.toBeNull()
    site.forget()
    now += 2 * 60_000
    const page = await openCallback(browser, op, late)
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect(site.logText()).toContain("started more than 15 minutes ago")
    expect(site.failures().map(({ level }) => level)).toEqual(["warn"])
    expect(flowCookies(browser)).toEqual([])
  })

  it("are stored in encrypted cookies that expire after 15 minutes", async () => {
    const { app } = await createSite()
    const browser = app.browser()
    const page = await begin(browser)
    const [header] = page.headers.getSetCookie().filter((cookie) => /authjs\.state\./.test(cookie))
    expect(header).toMatch(/; Max-Age=900; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
    const [cookie] = flowCookies(browser)
    expect(cookie?.name).not.toContain(param(page.location, "state"))
    expect(cookie?.value).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it("survive a rotation of the secret", async () => {
    const next = "another secret for tests, of more than 32 letters"
    const before = await createSite({ origin: "http://app.test" })
    const after = await createSite({ origin: "http://app.test", config: { secret: [next, TEST_SECRET] } })
    const [old, fresh] = [before.app.browser(), after.app.browser()]
    const back = await startAndApprove(old, op)
    for (const cookie of old.jar.all()) fresh.jar.put(cookie)
    await openCallback(fresh, op, back)
    expect(await sessionOf(fresh)).not.toBeNull()
  })

  it("forward query parameters to the provider, and scope only with allowScopeOverride", async () => {
    const query = "?login_hint=a%40b.test&prompt=login&scope=openid+admin&state=evil"
    const plain = await createSite()
    const open = await createSite({ providers: [op.oidc({ allowScopeOverride: true })] })
    const [a, b] = [await begin(plain.app.browser(), { query }), await begin(open.app.browser(), { query })]
    expect([param(a.location, "login_hint"), param(a.location, "prompt")]).toEqual(["a@b.test", "login"])
    expect([param(a.location, "scope"), param(b.location, "scope")]).toEqual(["openid profile email", "openid admin"])
    for (const { location } of [a, b]) expect(param(location, "state")).not.toBe("evil")
  })

  it("are not changed by a HEAD request to the callback", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op)
    const page = await browser.request(back, { method: "HEAD", from: op.issuer })
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []])
    await openCallback(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})
