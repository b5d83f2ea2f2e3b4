/**
 * RED-02, RED-10 and RED-20: variants of return URLs in forms, query strings, JSON and cookies.
 *
 * @module
 */
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import { EVIL } from "../support/evil-urls.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, startMailSite } from "../support/mail.js"
import { begin, openCallback, sessionOf, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const ORIGIN = "https://app.test"
const setting = { origin: ORIGIN }

describeServers("A return URL in a form", (start) => {
  const evil = encodeURIComponent("https://evil.test/")

  it.each([
    ["the last of two", `callbackUrl=%2Fx&callbackUrl=${evil}`],
    ["the first of two", `callbackUrl=${evil}&callbackUrl=%2Fx`],
    ["a list", `callbackUrl[]=${evil}&callbackUrl[0]=${evil}`],
    ["other spellings of the parameter", `callbackurl=${evil}&CallbackUrl=${evil}&callbackURL=${evil}`],
    ["similar parameters", `redirectTo=${evil}&returnTo=${evil}&next=${evil}&url=${evil}`],
    ["a URL with this site in its fragment", `callbackUrl=${evil}%23https%3A%2F%2Fapp.test`],
    ["a URL with this site as its user name", `callbackUrl=${encodeURIComponent("https://app.test:443@evil.test/")}`],
  ])("RED-02: stays on this site if the query contains %s", async (_name, query) => {
    const browser = (await start(configOf(), setting)).browser()
    for (const path of ["/auth/signin", "/auth/signout"]) {
      const html = await (await browser.get(`${path}?${query}`)).text()
      expect([path, html.includes("evil.test")]).toEqual([path, false])
      const [form] = browser.forms(html)
      expect(new URL(form?.fields["callbackUrl"] ?? "", ORIGIN).origin).toBe(ORIGIN)
    }
    expect(new URL(decodeURIComponent(browser.cookie("__Secure-authjs.callback-url") ?? ORIGIN)).origin).toBe(ORIGIN)
  })

  it("RED-02: stays on this site on the confirmation page of a sign-in link", async () => {
    const site = await startMailSite(start, { start: setting })
    await askForLink(site.browser(), "ada@example.com")
    for (const callbackUrl of ["https://evil.test/", "//evil.test", "/\\evil.test", "/\t/evil.test"]) {
      const link = new URL(site.mail.linkTo("ada@example.com"))
      link.searchParams.set("callbackUrl", callbackUrl)
      const browser = site.browser()
      const page = await browser.get(link.href)
      const { callbackUrl: field = "" } = browser.form(await page.text()).fields
      expect([callbackUrl, page.status, new URL(field, ORIGIN).origin]).toEqual([callbackUrl, 200, ORIGIN])
    }
  })

  it.each([
    ["a list", ["https://evil.test/"]],
    ["an object", { toString: "https://evil.test/", href: "https://evil.test/" }],
    ["a number", 1],
    ["true", true],
    ["null", null],
  ])("RED-02: is ignored if JSON contains %s instead", async (_name, callbackUrl) => {
    const browser = (await start(configOf(), setting)).browser()
    const csrfToken = await browser.csrf()
    const sent = { csrfToken, username: "ada", password: "right", callbackUrl }
    expect((await browser.postJson("/auth/callback/credentials", sent)).location).toBe(`${ORIGIN}/`)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})

/** Return URLs and their encoded form: characters become UTF-8 bytes, and existing escapes stay. */
const URLS: readonly (readonly [what: string, callbackUrl: string, location: string])[] = [
  ["a composed letter", "/\u00e9", "/%C3%A9"],
  ["a decomposed letter", "/e\u0301", "/e%CC%81"],
  ["an emoji sequence", "/\u{1f469}\u200d\u{1f467}", "/%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"],
  ["a fragment", "/x#\u65e5\u672c", "/x#%E6%97%A5%E6%9C%AC"],
  ["escapes of UTF-8", "/%C3%A9?q=%F0%9F%98%80", "/%C3%A9?q=%F0%9F%98%80"],
  ["escapes of Latin-1", "/%e9?q=%FC", "/%e9?q=%FC"],
  ["escaped slashes", "/a%2Fb%5Cc", "/a%2Fb%5Cc"],
  ["a single percent sign", "/100%?x=%", "/100%?x=%"],
  ["a lone surrogate", "/\ud83d", "/%EF%BF%BD"],
  ["a right-to-left override", "/\u202egpj.exe", "/%E2%80%AEgpj.exe"],
  ["quotes and brackets", "/a\"b<c>?d='e'", "/a%22b%3Cc%3E?d=%27e%27"],
]

const ASCII = /^[\x21-\x7e]+$/

describeServers("A return URL with non-ASCII characters", (start, stage) => {
  const op = useProvider()

  it.each(URLS)(
    "RED-10: is encoded the same in a form, JSON, a query and a cookie: %s, %j",
    async (_, callbackUrl, location) => {
      const app = await start(configOf(), setting)
      const locations: string[] = []
      const readLocation = (page: { headers: Headers }) => page.headers.get("location") ?? ""
      locations.push(readLocation(await signIn(app.browser(), "/auth", { callbackUrl })))
      const jsonBrowser = app.browser()
      const sent = { csrfToken: await jsonBrowser.csrf(), username: "ada", password: "right", callbackUrl }
      locations.push(readLocation(await jsonBrowser.postJson("/auth/callback/credentials", sent)))
      const queryBrowser = app.browser()
      const form = await queryBrowser.get(`/auth/signin?${new URLSearchParams({ callbackUrl })}`)
      const pageForm = queryBrowser.form(await form.text())
      const cookieBrowser = queryBrowser.clone()
      locations.push(readLocation(await queryBrowser.submit(pageForm, { username: "ada", password: "right" })))
      // Only the cookie of the sign-in page contains the return URL.
      const { callbackUrl: _dropped, ...others } = pageForm.fields
      locations.push(
        readLocation(await cookieBrowser.post(pageForm.action, { ...others, username: "ada", password: "right" })),
      )
      expect(locations).toEqual(Array.from({ length: 4 }, () => ORIGIN + location))
      for (const header of locations) expect(header).toMatch(ASCII)
    },
  )

  it("RED-10: is encoded the same after a provider sign-in", async () => {
    const { app } = await startSite({ start, stage, op }, { origin: ORIGIN, config: { rateLimit: false } })
    for (const [, callbackUrl, location] of URLS) {
      const browser = app.browser()
      const begun = await begin(browser, { callbackUrl })
      expect((await openCallback(browser, op, await op.authorize(begun.location))).location).toBe(ORIGIN + location)
    }
  })

  it("RED-10: is on this site in all notations of its internationalized domain name", async () => {
    const own = "https://xn--mnchen-3ya.test"
    const app = await start(configOf({ rateLimit: false }), { origin: own })
    const landed = async (callbackUrl: string) => (await signIn(app.browser(), "/auth", { callbackUrl })).location
    for (const name of ["m\u00fcnchen.test", "mu\u0308nchen.test", "M\u00dcNCHEN.TEST", "m\u00fcnchen\u3002test"])
      expect([name, await landed(`https://${name}/\u00f6`)]).toEqual([name, `${own}/%C3%B6`])
    for (const name of ["munchen.test", "m\u00fcnchen.test.evil.test", "m\u0430nchen.test", "m\u00fcnchen.test:444"])
      expect([name, await landed(`https://${name}/\u00f6`)]).toEqual([name, `${own}/`])
  })
})

describeServers("A JSON response", (start, stage) => {
  // The result does not depend on the server: one stage tries the whole list, the others a part.
  const tried = stage === "Auth()" ? EVIL : EVIL.filter((_, i) => i % 5 === 0)
  const asJson = { headers: { "x-auth-return-redirect": "1" } }
  const readUrl = async (page: Response): Promise<string> => (await page.json()).url

  it("RED-20: contains a URL on this site for any callbackUrl", async () => {
    const app = await start(configOf({ rateLimit: false }), setting)
    for (const callbackUrl of tried) {
      const browser = app.browser()
      const csrfToken = await browser.csrf()
      const fields = { csrfToken, callbackUrl, username: "ada", password: "right" }
      for (const path of ["/auth/callback/credentials", "/auth/signin/credentials", "/auth/signout"]) {
        const page = await browser.post(path, fields, asJson)
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "application/json"])
        expect(page.headers.get("cache-control")).toContain("no-store")
        const url = await readUrl(page)
        expect([callbackUrl, path, new URL(url).origin]).toEqual([callbackUrl, path, ORIGIN])
        // The Location header has the same value, which browsers do not follow with status 200.
        expect(new URL(page.location).href).toBe(new URL(url).href)
      }
    }
  })

  it.each(["1", "0", "false", "true", "x"])(
    "RED-20: is sent for any value of x-auth-return-redirect: %s",
    async (value) => {
      const browser = (await start(configOf(), setting)).browser()
      const headers = { "x-auth-return-redirect": value }
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
      expect([page.status, await readUrl(page)]).toEqual([200, ORIGIN])
    },
  )

  it.each([
    ["a wrong method", 405, "PUT", "/auth/signin", undefined, ""],
    ["an unknown provider", 404, "POST", "/auth/callback/nope", "a=1", ""],
    ["an unusable callback URL", 400, "GET", "/auth/signin?callbackUrl=x", undefined, ""],
    ["a body that is too large", 413, "POST", "/auth/signout", "x".repeat(70_000), ""],
    ["an unsupported content type", 415, "POST", "/auth/signout", "x", "multipart/form-data; boundary=x"],
    ["truncated JSON", 400, "POST", "/auth/signout", "{", "application/json"],
  ])("RED-20: has an error status for %s: %d", async (_name, status, method, path, body, type) => {
    const browser = (await start(configOf(), setting)).browser()
    const headers = { ...asJson.headers, accept: "text/html", ...(type && { "content-type": type }) }
    const page = await browser.request(path, { method, headers, ...(body !== undefined && { body }) })
    expect([page.status, page.location, page.headers.get("content-type")]).toEqual([status, "", "application/json"])
    expect(page.headers.get("cache-control")).toContain("no-store")
    const url = new URL(await readUrl(page))
    expect([url.origin, url.pathname]).toEqual([ORIGIN, "/auth/error"])
  })

  it("RED-20: sets the same cookies as a redirect", async () => {
    const [app, other] = [await start(configOf(), setting), await start(configOf(), setting)]
    const names = (page: Response) => page.headers.getSetCookie().map((cookie) => cookie.replace(/=.*?(?=;)/, ""))
    const withoutTime = (cookies: string[]) => cookies.map((cookie) => cookie.replace(/Expires=[^;]*/, ""))
    const plain = await signIn(app.browser())
    const browser = other.browser()
    const fields = { csrfToken: await browser.csrf(), username: "ada", password: "right" }
    const json = await browser.post("/auth/callback/credentials", fields, asJson)
    expect(withoutTime(names(json))).toEqual(withoutTime(names(plain)))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })
})
