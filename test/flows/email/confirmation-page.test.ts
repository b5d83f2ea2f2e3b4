import { describeServer, describeServers } from "../../support/apps.js"
import type { Page, Visit } from "../../support/browser.js"
import { visibleText } from "../../support/html.js"
import { folderWith } from "../../unit/pages/samples.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, openLink, RESEND_MS, startMailSite } from "../support/mail.js"
import { param, sessionCookies, sessionOf, withParams } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const BROWSER_COOKIE = "authjs.state.mail"

/** Request headers of prefetches and previews. */
const PREFETCH_HEADERS: [string, Record<string, string>][] = [
  ["Sec-Purpose: prefetch", { "sec-purpose": "prefetch" }],
  ["Sec-Purpose: prefetch;prerender", { "sec-purpose": "prefetch;prerender" }],
  ["Sec-Purpose: prefetch;anonymous-client-ip", { "sec-purpose": "prefetch;anonymous-client-ip" }],
  ["Purpose: prefetch", { purpose: "prefetch" }],
  ["X-Purpose: preview", { "x-purpose": "preview" }],
  ["X-Purpose: Prefetch", { "x-purpose": "Prefetch" }],
  ["X-Moz: prefetch", { "x-moz": "prefetch" }],
]

const title = async (page: Page) => /<title>(.*?)<\/title>/.exec(await page.clone().text())?.[1]

describeServers("The confirmation page of a sign-in link", (start, stage) => {
  async function requestLink(options: Parameters<typeof startMailSite>[1] = {}, more: Record<string, string> = {}) {
    const site = await startMailSite(start, options)
    const browser = site.browser()
    await askForLink(browser, ADA, more)
    site.forget()
    const link = site.mail.linkTo(ADA)
    const expectUnused = () =>
      expect([site.store.links.length, site.store.sessions.size, site.events]).toEqual([1, 0, []])
    return { site, browser, link, expectUnused }
  }

  it("EML-01: is shown in another browser, names the account, and does not use the link", async () => {
    const { site, link, expectUnused } = await requestLink()
    const other = site.browser()
    for (let i = 0; i < 3; i++) {
      const page = await other.get(link, { from: "https://mail.example.net" })
      expect([page.status, await title(page)]).toEqual([200, "Confirm Sign In"])
      const { host } = new URL(site.app.origin)
      expect(visibleText(await page.text())).toContain(`Do you want to sign in to ${host} as ${ADA} ?`)
    }
    expect([sessionCookies(other), site.failures()]).toEqual([[], []])
    expectUnused()
  })

  it("EML-01: signs in once with its button", async () => {
    const { site, link } = await requestLink({}, { callbackUrl: "/cart" })
    const other = site.browser()
    const form = other.form(await (await other.get(link)).text())
    expect([form.method, form.action]).toEqual(["POST", `${site.app.origin}/auth/callback/mail`])
    const beforeSignIn = other.clone()
    const landed = await other.submit(form)
    expect([landed.status, landed.location]).toEqual([302, `${site.app.origin}/cart`])
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
    expect(site.store.links).toEqual([])
    expect(errorOf(await site.browser().submit(form, {}, {}))).toBe("MissingCSRF")
    expect(errorOf(await beforeSignIn.submit(form))).toBe("Verification")
    // The sign-in renewed this browser's CSRF token.
    expect(errorOf(await other.submit(form))).toBe("MissingCSRF")
    expect(site.events.map(({ name }) => name).filter((name) => name !== "session")).toEqual(["createUser", "signIn"])
  })

  it("is skipped in the requesting browser, whose cookie is then deleted", async () => {
    const { browser, link } = await requestLink({}, { callbackUrl: "/cart" })
    expect(browser.cookie(BROWSER_COOKIE)).toBeDefined()
    const page = await browser.get(link, { from: "https://mail.example.net" })
    expect([page.status, new URL(page.location).pathname]).toEqual([302, "/cart"])
    expect([sessionCookies(browser).length, browser.cookie(BROWSER_COOKIE)]).toEqual([1, undefined])
  })

  it.each([
    ["a mail gateway", { headers: { "user-agent": "Mozilla/5.0 (compatible; SafeLinks)", "accept-language": "" } }],
    ["a crawler", { headers: { accept: "*/*", "user-agent": "curl/8", "sec-fetch-mode": "" } }],
  ])("EML-02: does not use the link when %s opens it", async (_name, init) => {
    const { site, browser, link, expectUnused } = await requestLink()
    for (let i = 0; i < 3; i++) expect((await site.browser().get(link, init)).status).toBe(200)
    expectUnused()
    await browser.get(link)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("EML-02: does not use the link for a HEAD request, even from the requesting browser", async () => {
    const { site, browser, link, expectUnused } = await requestLink()
    for (const client of [browser, site.browser()]) {
      const page = await client.request(link, { method: "HEAD" })
      expect([page.status, page.location, await page.text(), page.headers.getSetCookie()]).toEqual([200, "", "", []])
    }
    expectUnused()
    expect((await browser.get(link)).status).toBe(302)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(PREFETCH_HEADERS)(
    "EML-02: does not use the link when the requesting browser prefetches it with %s",
    async (_name, headers) => {
      const { browser, link, expectUnused } = await requestLink()
      const page = await browser.get(link, { headers })
      expect([page.status, await title(page)]).toEqual([200, "Confirm Sign In"])
      expectUnused()
      expect(browser.cookie(BROWSER_COOKIE)).toBeDefined()
      expect((await browser.get(link)).status).toBe(302)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    },
  )

  it("EML-02: signs in from a prefetched page", async () => {
    const { browser, link } = await requestLink()
    const page = await browser.get(link, { headers: { "sec-purpose": "prefetch;prerender" } })
    await browser.submit(browser.form(await page.text()))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    expect(browser.cookie(BROWSER_COOKIE)).toBeUndefined()
  })

  it.each<[string, (fields: Record<string, string>) => Record<string, string>, Visit]>([
    ["without the CSRF token", ({ csrfToken: _, ...rest }) => rest, {}],
    ["with another browser's token", (fields) => ({ ...fields, csrfToken: "0".repeat(64) }), {}],
    ["from another site", (fields) => fields, { from: "https://evil.test" }],
    ["with Sec-Fetch-Site: cross-site", (fields) => fields, { headers: { "sec-fetch-site": "cross-site" } }],
  ])("refuses a POST %s, and does not use the link", async (_name, change, init) => {
    const { site, link, expectUnused } = await requestLink()
    const other = site.browser()
    const { action, fields } = other.form(await (await other.get(link)).text())
    expect(errorOf(await other.post(action, change(fields), init))).toBe("MissingCSRF")
    expectUnused()
    expect(sessionCookies(other)).toEqual([])
    expect((await openLink(other, link)).status).toBe(302)
  })

  it("cannot be framed or cached, and sends no Referer", async () => {
    const { site, link } = await requestLink()
    const page = await site.browser().get(link)
    expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/)
    expect(page.headers.get("content-security-policy")).toMatch(/form-action 'self'/)
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect(await page.text()).not.toMatch(/<script|https?:\/\/(?!app\.test|127\.0\.0\.1|localhost)/)
  })

  it("redirects to the plain callbackUrl of a link only within this site", async () => {
    const { site, link } = await requestLink({ config: { rateLimit: false } })
    const { origin } = site.app
    for (const [callbackUrl, location] of [
      ["/cart?a=1#b", `${origin}/cart?a=1#b`],
      ["https://evil.test/", `${origin}/`],
      ["//evil.test/x", `${origin}/evil.test/x`],
      ["/\\evil.test", `${origin}/evil.test`],
      [`${origin}@evil.test/`, `${origin}/`],
    ] as const) {
      const other = site.browser()
      await askForLink(site.browser(), ADA)
      const landed = await openLink(other, withParams(site.mail.linkTo(ADA), { callbackUrl, state: undefined }))
      expect([callbackUrl, landed.location]).toEqual([callbackUrl, location])
    }
    const page = await site.browser().get(withParams(link, { callbackUrl: "javascript:alert(1)" }))
    expect(page.status).toBe(400)
  })

  it("ignores a callbackUrl of another site in the form", async () => {
    const { site, link } = await requestLink()
    const other = site.browser()
    const form = other.form(await (await other.get(link)).text())
    const landed = await other.submit(form, { callbackUrl: "https://evil.test/" })
    expect(landed.location).toBe(`${site.app.origin}/`)
  })

  it("is optional: a custom form can POST to the link itself", async () => {
    const { site, link } = await requestLink()
    const other = site.browser()
    expect(errorOf(await other.post(link))).toBe("MissingCSRF")
    const landed = await other.post(link, { csrfToken: await other.csrf() })
    expect(landed.location).toBe(`${site.app.origin}/`)
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
  })

  it("responds with JSON to a script", async () => {
    const { site, link } = await requestLink()
    const other = site.browser()
    const [token, email] = [param(link, "token"), param(link, "email")]
    const headers = { "x-auth-return-redirect": "1", accept: "application/json" }
    const csrfToken = await other.csrf()
    const wrong = await other.postJson("/auth/callback/mail", { csrfToken, token: ["a"], email }, { headers })
    expect(await wrong.json()).toEqual({ url: `${site.app.origin}/auth/error?error=Verification` })
    const right = await other.postJson("/auth/callback/mail", { csrfToken, token, email }, { headers })
    expect([right.status, await right.json()]).toEqual([200, { url: site.app.origin }])
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
  })

  if (stage !== "Auth()")
    it("works over https with prefixed cookies", async () => {
      const { site, browser, link } = await requestLink({ start: { origin: "https://app.test" } })
      expect(browser.cookie(`__Host-${BROWSER_COOKIE}`)).toBeDefined()
      expect((await site.browser().get(link)).status).toBe(200)
      expect((await browser.get(link)).status).toBe(302)
      expect(await sessionOf(browser)).not.toBeNull()
    })
})

describeServer("The confirmation page of a sign-in link", "Auth()", (start) => {
  it.each([
    "your account. Call 0900 123 now",
    "<b>ada</b>@example.com",
    "Ada@Example.com",
    "ada@example.com, bob@example.com",
    '"ada"@example.com',
    "ada@example.com\u202e",
    "x".repeat(300),
  ])("does not show text that is not an address in normal form: %j", async (email) => {
    const site = await startMailSite(start)
    const other = site.browser()
    const page = await other.get(`/auth/callback/mail?token=x&email=${encodeURIComponent(email)}`)
    const html = await page.text()
    expect(visibleText(html)).toContain("Do you want to sign in to app.test ?")
    expect(visibleText(html)).not.toContain(email.slice(0, 12))
    // The form returns the address unchanged, and the adapter decides.
    expect(other.form(html).fields).toMatchObject({ token: "x", email })
  })

  it.each(["Your account is locked. Call 0900 123", `a${"b".repeat(300)}`])(
    "does not show long text or sentences even if normalizeIdentifier accepts them: %j",
    async (email) => {
      const site = await startMailSite(start, { mail: { normalizeIdentifier: (text) => text } })
      const page = await site.browser().get(`/auth/callback/mail?token=x&email=${encodeURIComponent(email)}`)
      expect(visibleText(await page.text())).not.toContain(email)
    },
  )

  it("shows an identifier that normalizeIdentifier returns unchanged", async () => {
    const site = await startMailSite(start, { mail: { normalizeIdentifier: (text) => text.toLowerCase() } })
    const other = site.browser()
    const page = async (email: string) =>
      visibleText(await (await other.get(`/auth/callback/mail?token=x&email=${email}`)).text())
    expect(await page("ada")).toContain("sign in to app.test as ada ?")
    expect(await page("ADA")).not.toContain("ADA")
  })

  it("is shown if the browser's cookie belongs to another link, is forged, or is encrypted with another secret", async () => {
    const site = await startMailSite(start)
    const otherSite = await startMailSite(start, {
      config: { secret: "another secret, of another application: 48 letters" },
    })
    const [browser, thief, other] = [site.browser(), site.browser(), otherSite.browser()]
    await askForLink(browser, "bob@example.com")
    await askForLink(thief, ADA)
    await askForLink(other, ADA)
    const link = site.mail.linkTo("bob@example.com")
    for (const value of [thief.cookie(BROWSER_COOKIE), other.cookie(BROWSER_COOKIE), "garbage", "a.b.c", ""]) {
      const victim = site.browser()
      if (value !== undefined) victim.setCookie(BROWSER_COOKIE, value)
      expect([value, (await victim.get(link)).status]).toEqual([value, 200])
    }
    expect((await browser.get(link)).status).toBe(302)
  })

  it("is shown for the older of two links of the requesting browser, and skipped for the newer one", async () => {
    const site = await startMailSite(start, { isPlain: true })
    const browser = site.browser()
    await askForLink(browser, ADA)
    const first = site.mail.linkTo(ADA)
    site.time.now += RESEND_MS
    await askForLink(browser, ADA)
    expect((await browser.get(first)).status).toBe(200)
    expect((await browser.get(site.mail.linkTo(ADA))).status).toBe(302)
  })

  it("is skipped in the requesting browser until the link expires", async () => {
    const site = await startMailSite(start, { mail: { maxAge: 3_600 } })
    const browser = site.browser()
    const page = await askForLink(browser, ADA)
    const cookie = page.headers.getSetCookie().find((text) => text.startsWith(BROWSER_COOKIE))
    for (const attribute of ["Max-Age=3600", "HttpOnly", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute)
    site.time.now += 3_599_000
    expect((await browser.get(site.mail.linkTo(ADA))).status).toBe(302)
  })

  it("does not reveal whether a link is valid before the form is submitted", async () => {
    const site = await startMailSite(start)
    await askForLink(site.browser(), ADA)
    const link = site.mail.linkTo(ADA)
    const readPage = async (address: string) =>
      (await (await site.browser().get(address)).text()).replace(/name="(?:csrfToken|token)" value="[^"]*"/g, "")
    const known = await readPage(link)
    expect(await readPage(withParams(link, { token: "f".repeat(64) }))).toBe(known)
    site.time.now += 90_000_000
    expect(await readPage(link)).toBe(known)
    expect(site.logText()).not.toContain("adapter_useVerificationToken")
  })

  it("is not shown for a link without a token", async () => {
    const site = await startMailSite(start)
    const page = await site.browser().get("/auth/callback/mail")
    expect(page.location).toBe("http://app.test/auth/error?error=Verification")
    const explained = await site.browser().get(page.location)
    expect([explained.status, visibleText(await explained.text())]).toEqual([
      403,
      expect.stringContaining("This link no longer works"),
    ])
  })

  it("can be replaced by a view of the application", async () => {
    const views = folderWith({
      "confirm.ejs":
        '<p id="who"><%= page.account %></p><form method="post" action="<%= page.action %>"><%- include("hidden-fields") -%><input type="hidden" name="token" value="<%= page.token %>"><input type="hidden" name="email" value="<%= page.email %>"><button>Yes</button></form>',
    })
    const site = await startMailSite(start, { config: { views } })
    await askForLink(site.browser(), ADA)
    const other = site.browser()
    const page = await other.get(site.mail.linkTo(ADA))
    const html = await page.text()
    expect(html).toContain(`<p id="who">${ADA}</p>`)
    await other.submit(other.form(html))
    expect(await sessionOf(other)).not.toBeNull()
  })

  it.each(["PUT", "DELETE", "PATCH"])("responds to %s with 405", async (method) => {
    const site = await startMailSite(start)
    const page = await site.browser().request("/auth/callback/mail?token=x", { method })
    expect([page.status, page.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
  })
})
