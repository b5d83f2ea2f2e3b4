import { describeServers, shapesOn } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { param, type SiteOptions, sessionOf, signIn, startAndApprove, startSite, withParams } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const COOKIE = "authjs.session-token"

describeServers("Variants of known attacks", (start, stage) => {
  const rows = shapesOn(stage)
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  /** Expects the location and the callback URL cookie to be on this site. */
  function expectOwnSite(browser: Browser, location: string, origin: string): void {
    expect(new URL(location).origin).toBe(origin)
    expect(new URL(location).pathname).not.toMatch(/^\/[/\\]/)
    const kept = decodeURIComponent(browser.cookie("authjs.callback-url") ?? origin)
    expect(new URL(kept).origin).toBe(origin)
  }

  it.each(
    rows([
      "https:/evil.test",
      "https:\\\\evil.test",
      "///evil.test",
      "\\\\evil.test",
      "/.//evil.test",
      "/x/..//evil.test",
      "/\u0000/evil.test",
      "/\n/evil.test",
      "//evil\u3002test",
      "//%65vil.test",
      "http://user@evil.test",
      "//evil.test:80\\@app.test/",
      "blob:https://evil.test/1",
      "vbscript:x",
      "\u0001javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "intent://evil.test#Intent;end",
    ]),
  )("ADV-03: sign-in, sign-in page and sign-out stay on this site for the callbackUrl %j", async (callbackUrl) => {
    const { app } = await createSite()
    const browser = app.browser()
    const html = await (await browser.get(`/auth/signin?${new URLSearchParams({ callbackUrl })}`)).text()
    for (const { action, fields } of browser.forms(html)) {
      expect(new URL(action).origin).toBe(app.origin)
      expect(new URL(fields["callbackUrl"] ?? app.origin).origin).toBe(app.origin)
    }
    expectOwnSite(browser, (await signIn(browser, op, { callbackUrl })).location, app.origin)
    const csrfToken = await browser.csrf()
    const out = await browser.post("/auth/signout", { csrfToken, callbackUrl })
    expectOwnSite(browser, out.location, app.origin)
  })

  const evil = "https://evil.test/x"

  it.each(
    rows<[string, (browser: Browser, csrfToken: string) => Promise<{ location: string }>]>([
      [
        "twice in a form",
        (browser, csrfToken) =>
          browser.post("/auth/signout", [
            ["csrfToken", csrfToken],
            ["callbackUrl", "/"],
            ["callbackUrl", evil],
          ]),
      ],
      [
        "twice in a form, with the foreign URL first",
        (browser, csrfToken) =>
          browser.post("/auth/signout", [
            ["csrfToken", csrfToken],
            ["callbackUrl", evil],
            ["callbackUrl", "/"],
          ]),
      ],
      [
        "in the query of the form's action",
        (browser, csrfToken) => browser.post(`/auth/signout?callbackUrl=${evil}`, { csrfToken }),
      ],
      [
        "as a list in JSON",
        (browser, csrfToken) => browser.postJson("/auth/signout", { csrfToken, callbackUrl: [evil] }),
      ],
      [
        "in the cookie",
        (browser, csrfToken) => {
          browser.setCookie("authjs.callback-url", encodeURIComponent(evil))
          return browser.post("/auth/signout", { csrfToken })
        },
      ],
    ]),
  )("ADV-03: sign-out stays on this site if callbackUrl is %s", async (_, signOut) => {
    const { app } = await createSite()
    const browser = app.browser()
    await signIn(browser, op)
    const { location } = await signOut(browser, await browser.csrf())
    expectOwnSite(browser, location, app.origin)
    expect(await sessionOf(browser)).toBeNull()
  })

  it("ADV-03: the callback ignores a callbackUrl in its query, on success and on failure", async () => {
    const { app } = await createSite()
    const browser = app.browser()
    const back = withParams(await startAndApprove(browser, op, { callbackUrl: "/cart" }), { callbackUrl: evil })
    const page = await browser.get(back, { from: op.issuer })
    expect(page.location).toBe(`${app.origin}/cart`)
    const again = await browser.get(back, { from: op.issuer })
    expectOwnSite(browser, again.location, app.origin)
    expect(param(again.location, "callbackUrl")).not.toContain("evil")
  })

  it("ADV-17: the new session replaces a planted session cookie and its chunks", async () => {
    const site = await createSite({ sessions: "jwt" })
    const [attacker, victim] = [site.app.browser(), site.app.browser()]
    op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@example.com" } })
    await signIn(attacker, op)
    op.reset()
    const planted = attacker.cookie(COOKIE) ?? ""
    for (const name of [COOKIE, `${COOKIE}.0`, `${COOKIE}.1`]) victim.setCookie(name, planted)
    await signIn(victim, op)
    expect(victim.cookies().filter(({ name }) => name.startsWith(COOKIE))).toHaveLength(1)
    expect(victim.cookie(COOKIE)).not.toBe(planted)
    expect(await sessionOf(victim)).toMatchObject({ user: { name: "Alice" } })
  })

  it.each(rows(["/auth/session", "/auth/signin", "/auth/csrf", "/auth/providers", "/auth/callback/oidc?code=1"]))(
    "ADV-02: a request to an untrusted host gets an error that does not contain the host: %s",
    async (path) => {
      const site = await createSite({ config: { trustHost: false }, origin: "http://evil.test" })
      const page = await site.app.browser().get(path)
      expect([page.status, page.headers.getSetCookie(), page.location]).toEqual([500, [], ""])
      expect(await page.text()).not.toContain("evil")
      expect(site.failures().map(({ code }) => code)).toEqual(["UntrustedHost"])
    },
  )
})
