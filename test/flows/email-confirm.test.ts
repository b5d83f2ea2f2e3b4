import { describeServer, describeServers } from "../support/apps.js"
import type { Page, Visit } from "../support/browser.js"
import { visibleText } from "../support/html.js"
import { folderWith } from "../unit/pages/samples.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, openLink, startMailSite } from "./support/mail.js"
import { param, sessionCookies, sessionOf, withParams } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const MARK = "authjs.state.mail"

/** What browsers and their like send when they look ahead. */
const LOOKING_AHEAD: [string, Record<string, string>][] = [
  ["Sec-Purpose: prefetch", { "sec-purpose": "prefetch" }],
  ["Sec-Purpose: prefetch;prerender", { "sec-purpose": "prefetch;prerender" }],
  ["Sec-Purpose: prefetch;anonymous-client-ip", { "sec-purpose": "prefetch;anonymous-client-ip" }],
  ["Purpose: prefetch", { purpose: "prefetch" }],
  ["X-Purpose: preview", { "x-purpose": "preview" }],
  ["X-Purpose: Prefetch", { "x-purpose": "Prefetch" }],
  ["X-Moz: prefetch", { "x-moz": "prefetch" }],
]

const title = async (page: Page) => /<title>(.*?)<\/title>/.exec(await page.clone().text())?.[1]

describeServers("The page that asks before a link signs in", (start, stage) => {
  async function asked(options: Parameters<typeof startMailSite>[1] = {}, more: Record<string, string> = {}) {
    const site = await startMailSite(start, options)
    const browser = site.browser()
    await askForLink(browser, ADA, more)
    site.forget()
    const link = site.mail.linkTo(ADA)
    const untouched = () => expect([site.store.links.length, site.store.sessions.size, site.events]).toEqual([1, 0, []])
    return { site, browser, link, untouched }
  }

  it("EML-01: is what another browser gets: it names the account, and nothing has happened yet", async () => {
    const { site, link, untouched } = await asked()
    const other = site.browser()
    for (let i = 0; i < 3; i++) {
      const page = await other.get(link, { from: "https://mail.example.net" })
      expect([page.status, await title(page)]).toEqual([200, "Confirm Sign In"])
      const { host } = new URL(site.app.origin)
      expect(visibleText(await page.text())).toContain(`Do you want to sign in to ${host} as ${ADA} ?`)
    }
    expect([sessionCookies(other), site.failures()]).toEqual([[], []])
    untouched()
  })

  it("EML-01: signs in by its button, and shows no way to do it twice", async () => {
    const { site, link } = await asked({}, { callbackUrl: "/cart" })
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

  it("is not what the browser gets that asked, which then forgets the mark", async () => {
    const { browser, link } = await asked({}, { callbackUrl: "/cart" })
    expect(browser.cookie(MARK)).toBeDefined()
    const page = await browser.get(link, { from: "https://mail.example.net" })
    expect([page.status, new URL(page.location).pathname]).toEqual([302, "/cart"])
    expect([sessionCookies(browser).length, browser.cookie(MARK)]).toEqual([1, undefined])
  })

  it.each([
    ["a mail gateway", { headers: { "user-agent": "Mozilla/5.0 (compatible; SafeLinks)", "accept-language": "" } }],
    ["a crawler that takes anything", { headers: { accept: "*/*", "user-agent": "curl/8", "sec-fetch-mode": "" } }],
  ])("EML-02: uses nothing up when %s looks at the link", async (_name, init) => {
    const { site, browser, link, untouched } = await asked()
    for (let i = 0; i < 3; i++) expect((await site.browser().get(link, init)).status).toBe(200)
    untouched()
    await browser.get(link)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("EML-02: uses nothing up for a HEAD, the asking browser's either", async () => {
    const { site, browser, link, untouched } = await asked()
    for (const one of [browser, site.browser()]) {
      const page = await one.request(link, { method: "HEAD" })
      expect([page.status, page.location, await page.text(), page.headers.getSetCookie()]).toEqual([200, "", "", []])
    }
    untouched()
    expect((await browser.get(link)).status).toBe(302)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(LOOKING_AHEAD)(
    "EML-02: uses nothing up for the asking browser with %s; then it opens the link",
    async (_name, headers) => {
      const { browser, link, untouched } = await asked()
      const page = await browser.get(link, { headers })
      expect([page.status, await title(page)]).toEqual([200, "Confirm Sign In"])
      untouched()
      expect(browser.cookie(MARK)).toBeDefined()
      expect((await browser.get(link)).status).toBe(302)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    },
  )

  it("EML-02: signs in from a page that was loaded ahead, too", async () => {
    const { browser, link } = await asked()
    const page = await browser.get(link, { headers: { "sec-purpose": "prefetch;prerender" } })
    await browser.submit(browser.form(await page.text()))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    expect(browser.cookie(MARK)).toBeUndefined()
  })

  it.each<[string, (fields: Record<string, string>) => Record<string, string>, Visit]>([
    ["without the CSRF token", ({ csrfToken: _, ...rest }) => rest, {}],
    ["with another browser's token", (fields) => ({ ...fields, csrfToken: "0".repeat(64) }), {}],
    ["from another site", (fields) => fields, { from: "https://evil.test" }],
    ["that the browser says is from another site", (fields) => fields, { headers: { "sec-fetch-site": "cross-site" } }],
  ])("refuses a POST %s, and uses nothing up", async (_name, change, init) => {
    const { site, link, untouched } = await asked()
    const other = site.browser()
    const { action, fields } = other.form(await (await other.get(link)).text())
    expect(errorOf(await other.post(action, change(fields), init))).toBe("MissingCSRF")
    untouched()
    expect(sessionCookies(other)).toEqual([])
    expect((await openLink(other, link)).status).toBe(302)
  })

  it("keeps its page from being framed, stored, or telling where one came from", async () => {
    const { site, link } = await asked()
    const page = await site.browser().get(link)
    expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/)
    expect(page.headers.get("content-security-policy")).toMatch(/form-action 'self'/)
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect(await page.text()).not.toMatch(/<script|https?:\/\/(?!app\.test|127\.0\.0\.1|localhost)/)
  })

  it("keeps the plain callback URL of a link, as far as it is one of this site", async () => {
    const { site, link } = await asked({ config: { rateLimit: false } })
    const { origin } = site.app
    for (const [callbackUrl, landing] of [
      ["/cart?a=1#b", `${origin}/cart?a=1#b`],
      ["https://evil.test/", `${origin}/`],
      ["//evil.test/x", `${origin}/evil.test/x`],
      ["/\\evil.test", `${origin}/evil.test`],
      [`${origin}@evil.test/`, `${origin}/`],
    ] as const) {
      const other = site.browser()
      await askForLink(site.browser(), ADA)
      const landed = await openLink(other, withParams(site.mail.linkTo(ADA), { callbackUrl, state: undefined }))
      expect([callbackUrl, landed.location]).toEqual([callbackUrl, landing])
    }
    const page = await site.browser().get(withParams(link, { callbackUrl: "javascript:alert(1)" }))
    expect(page.status).toBe(400)
  })

  it("takes no other callback URL from the form either", async () => {
    const { site, link } = await asked()
    const other = site.browser()
    const form = other.form(await (await other.get(link)).text())
    const landed = await other.submit(form, { callbackUrl: "https://evil.test/" })
    expect(landed.location).toBe(`${site.app.origin}/`)
  })

  it("is one way to post a link; a form of the application's own may post to the link itself", async () => {
    const { site, link } = await asked()
    const other = site.browser()
    expect(errorOf(await other.post(link))).toBe("MissingCSRF")
    const landed = await other.post(link, { csrfToken: await other.csrf() })
    expect(landed.location).toBe(`${site.app.origin}/`)
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
  })

  it("answers a script that confirms in JSON", async () => {
    const { site, link } = await asked()
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
    it("asks on https too, with cookies of their prefixes", async () => {
      const { site, browser, link } = await asked({ start: { origin: "https://app.test" } })
      expect(browser.cookie(`__Host-${MARK}`)).toBeDefined()
      expect((await site.browser().get(link)).status).toBe(200)
      expect((await browser.get(link)).status).toBe(302)
      expect(await sessionOf(browser)).not.toBeNull()
    })
})

describeServer("The page that asks", "Auth()", (start) => {
  it.each([
    "your account. Call 0900 123 now",
    "<b>ada</b>@example.com",
    "Ada@Example.com",
    "ada@example.com, bob@example.com",
    '"ada"@example.com',
    "ada@example.com\u202e",
    "x".repeat(300),
  ])("shows no text that is no address in its form: %j", async (email) => {
    const site = await startMailSite(start)
    const other = site.browser()
    const page = await other.get(`/auth/callback/mail?token=x&email=${encodeURIComponent(email)}`)
    const html = await page.text()
    expect(visibleText(html)).toContain("Do you want to sign in to app.test ?")
    expect(visibleText(html)).not.toContain(email.slice(0, 12))
    // What a link says goes back as it came: the store decides.
    expect(other.form(html).fields).toMatchObject({ token: "x", email })
  })

  it.each(["Your account is locked. Call 0900 123", `a${"b".repeat(300)}`])(
    "shows no sentence even where the application's own function takes anything: %j",
    async (email) => {
      const site = await startMailSite(start, { mail: { normalizeIdentifier: (text) => text } })
      const page = await site.browser().get(`/auth/callback/mail?token=x&email=${encodeURIComponent(email)}`)
      expect(visibleText(await page.text())).not.toContain(email)
    },
  )

  it("shows an identifier of the application's own", async () => {
    const site = await startMailSite(start, { mail: { normalizeIdentifier: (text) => text.toLowerCase() } })
    const other = site.browser()
    const page = async (email: string) =>
      visibleText(await (await other.get(`/auth/callback/mail?token=x&email=${email}`)).text())
    expect(await page("ada")).toContain("sign in to app.test as ada ?")
    expect(await page("ADA")).not.toContain("ADA")
  })

  it("asks a browser whose mark is another link's, planted, or of another secret", async () => {
    const site = await startMailSite(start)
    const stranger = await startMailSite(start, {
      config: { secret: "another secret, of another application: 48 letters" },
    })
    const [browser, thief, other] = [site.browser(), site.browser(), stranger.browser()]
    await askForLink(browser, "bob@example.com")
    await askForLink(thief, ADA)
    await askForLink(other, ADA)
    const link = site.mail.linkTo("bob@example.com")
    for (const mark of [thief.cookie(MARK), other.cookie(MARK), "garbage", "a.b.c", ""]) {
      const victim = site.browser()
      if (mark !== undefined) victim.setCookie(MARK, mark)
      expect([mark, (await victim.get(link)).status]).toEqual([mark, 200])
    }
    expect((await browser.get(link)).status).toBe(302)
  })

  it("asks for the first of two links that a browser asked for; the newest opens at once", async () => {
    const site = await startMailSite(start, { isPlain: true })
    const browser = site.browser()
    await askForLink(browser, ADA)
    const first = site.mail.linkTo(ADA)
    await askForLink(browser, ADA)
    expect((await browser.get(first)).status).toBe(200)
    expect((await browser.get(site.mail.linkTo(ADA))).status).toBe(302)
  })

  it("keeps the mark as long as the link is good", async () => {
    const site = await startMailSite(start, { mail: { maxAge: 3_600 } })
    const browser = site.browser()
    const page = await askForLink(browser, ADA)
    const cookie = page.headers.getSetCookie().find((text) => text.startsWith(MARK))
    for (const attribute of ["Max-Age=3600", "HttpOnly", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute)
    site.time.now += 3_599_000
    expect((await browser.get(site.mail.linkTo(ADA))).status).toBe(302)
  })

  it("says nothing of whether a link is known, used or too old before somebody presses the button", async () => {
    const site = await startMailSite(start)
    await askForLink(site.browser(), ADA)
    const link = site.mail.linkTo(ADA)
    const pageOf = async (address: string) =>
      (await (await site.browser().get(address)).text()).replace(/name="(?:csrfToken|token)" value="[^"]*"/g, "")
    const known = await pageOf(link)
    expect(await pageOf(withParams(link, { token: "f".repeat(64) }))).toBe(known)
    site.time.now += 90_000_000
    expect(await pageOf(link)).toBe(known)
    expect(site.logText()).not.toContain("adapter_useVerificationToken")
  })

  it("refuses an answer without a token at once", async () => {
    const site = await startMailSite(start)
    const page = await site.browser().get("/auth/callback/mail")
    expect(page.location).toBe("http://app.test/auth/error?error=Verification")
    const explained = await site.browser().get(page.location)
    expect([explained.status, visibleText(await explained.text())]).toEqual([
      403,
      expect.stringContaining("This link no longer works"),
    ])
  })

  it("is the application's own where it has a view of that name", async () => {
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

  it.each(["PUT", "DELETE", "PATCH"])("takes no %s", async (method) => {
    const site = await startMailSite(start)
    const page = await site.browser().request("/auth/callback/mail?token=x", { method })
    expect([page.status, page.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
  })
})
