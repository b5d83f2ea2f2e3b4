/**
 * RED-02, RED-10 and RED-20 in more shapes: what a callback URL may look like on its way through forms, addresses, JSON
 * and cookies.
 *
 * @module
 */
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { EVIL } from "./support/evil-addresses.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, startMailSite } from "./support/mail.js"
import { begin, comeBack, sessionOf, startSite } from "./support/site.js"

guardProcess()

const ORIGIN = "https://app.test"
const setting = { origin: ORIGIN }

describeServers("a callback URL in a form", (start) => {
  const evil = encodeURIComponent("https://evil.test/")

  it.each([
    ["the last of two", `callbackUrl=%2Fx&callbackUrl=${evil}`],
    ["the first of two", `callbackUrl=${evil}&callbackUrl=%2Fx`],
    ["a list", `callbackUrl[]=${evil}&callbackUrl[0]=${evil}`],
    ["other letters", `callbackurl=${evil}&CallbackUrl=${evil}&callbackURL=${evil}`],
    ["a name like it", `redirectTo=${evil}&returnTo=${evil}&next=${evil}&url=${evil}`],
    ["the fragment of this site", `callbackUrl=${evil}%23https%3A%2F%2Fapp.test`],
    ["this site as a user", `callbackUrl=${encodeURIComponent("https://app.test:443@evil.test/")}`],
  ])("RED-02: is none of another site's, be it in the address as %s", async (_name, query) => {
    const browser = (await start(configOf(), setting)).browser()
    for (const path of ["/auth/signin", "/auth/signout"]) {
      const html = await (await browser.get(`${path}?${query}`)).text()
      expect([path, html.includes("evil.test")]).toEqual([path, false])
      const [form] = browser.forms(html)
      expect(new URL(form?.fields["callbackUrl"] ?? "", ORIGIN).origin).toBe(ORIGIN)
    }
    expect(new URL(decodeURIComponent(browser.cookie("__Secure-authjs.callback-url") ?? ORIGIN)).origin).toBe(ORIGIN)
  })

  it("RED-02: is none of another site's on the page that asks before a link signs in", async () => {
    const site = await startMailSite(start, { start: setting })
    await askForLink(site.browser(), "ada@example.com")
    for (const callbackUrl of ["https://evil.test/", "//evil.test", "/\\evil.test", "/\t/evil.test"]) {
      const link = new URL(site.mail.linkTo("ada@example.com"))
      link.searchParams.set("callbackUrl", callbackUrl)
      const browser = site.browser()
      const page = await browser.get(link.href)
      const { callbackUrl: shown = "" } = browser.form(await page.text()).fields
      expect([callbackUrl, page.status, new URL(shown, ORIGIN).origin]).toEqual([callbackUrl, 200, ORIGIN])
    }
  })

  it.each([
    ["a list", ["https://evil.test/"]],
    ["an object", { toString: "https://evil.test/", href: "https://evil.test/" }],
    ["a number", 1],
    ["true", true],
    ["null", null],
  ])("RED-02: is none where JSON has %s in its place", async (_name, callbackUrl) => {
    const browser = (await start(configOf(), setting)).browser()
    const csrfToken = await browser.csrf()
    const sent = { csrfToken, username: "ada", password: "right", callbackUrl }
    expect((await browser.postJson("/auth/callback/credentials", sent)).location).toBe(`${ORIGIN}/`)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})

/** What is asked for, and what a browser makes of it: bytes in UTF-8, and those that are written already stay. */
const LETTERS: readonly (readonly [what: string, asked: string, lands: string])[] = [
  ["a composed letter", "/\u00e9", "/%C3%A9"],
  ["a decomposed letter", "/e\u0301", "/e%CC%81"],
  ["an emoji of several", "/\u{1f469}\u200d\u{1f467}", "/%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"],
  ["a fragment", "/x#\u65e5\u672c", "/x#%E6%97%A5%E6%9C%AC"],
  ["what is written in UTF-8 already", "/%C3%A9?q=%F0%9F%98%80", "/%C3%A9?q=%F0%9F%98%80"],
  ["what is written in Latin-1", "/%e9?q=%FC", "/%e9?q=%FC"],
  ["a slash that is none", "/a%2Fb%5Cc", "/a%2Fb%5Cc"],
  ["a lonely percent sign", "/100%?x=%", "/100%?x=%"],
  ["half of a pair", "/\ud83d", "/%EF%BF%BD"],
  ["the mark that turns text around", "/\u202egpj.exe", "/%E2%80%AEgpj.exe"],
  ["quotes and brackets", "/a\"b<c>?d='e'", "/a%22b%3Cc%3E?d=%27e%27"],
]

const ASCII = /^[\x21-\x7e]+$/

describeServers("a callback URL that is not ASCII", (start, stage) => {
  let op: FaultyProvider
  beforeAll(async () => {
    op = await startFaultyProvider()
  })
  afterAll(() => op.close())

  it.each(LETTERS)(
    "RED-10: %s: %j comes back by a form, by JSON, by an address and by a cookie",
    async (_, asked, lands) => {
      const app = await start(configOf(), setting)
      const seen: string[] = []
      const rawOf = (page: { headers: Headers }) => page.headers.get("location") ?? ""
      seen.push(rawOf(await signIn(app.browser(), "/auth", { callbackUrl: asked })))
      const byJson = app.browser()
      const sent = { csrfToken: await byJson.csrf(), username: "ada", password: "right", callbackUrl: asked }
      seen.push(rawOf(await byJson.postJson("/auth/callback/credentials", sent)))
      const byAddress = app.browser()
      const form = await byAddress.get(`/auth/signin?${new URLSearchParams({ callbackUrl: asked })}`)
      const shown = byAddress.form(await form.text())
      const byCookie = byAddress.clone()
      seen.push(rawOf(await byAddress.submit(shown, { username: "ada", password: "right" })))
      // The cookie of the page above, and nothing in the form.
      const { callbackUrl: _dropped, ...others } = shown.fields
      seen.push(rawOf(await byCookie.post(shown.action, { ...others, username: "ada", password: "right" })))
      expect(seen).toEqual(Array.from({ length: 4 }, () => ORIGIN + lands))
      for (const location of seen) expect(location).toMatch(ASCII)
    },
  )

  it("RED-10: comes back from a provider", async () => {
    const { app } = await startSite({ start, stage, op }, { origin: ORIGIN, config: { rateLimit: false } })
    for (const [, asked, lands] of LETTERS) {
      const browser = app.browser()
      const begun = await begin(browser, { callbackUrl: asked })
      expect((await comeBack(browser, op, await op.authorize(begun.location))).location).toBe(ORIGIN + lands)
    }
  })

  it("RED-10: is of this site however its international name is written", async () => {
    const own = "https://xn--mnchen-3ya.test"
    const app = await start(configOf({ rateLimit: false }), { origin: own })
    const landed = async (callbackUrl: string) => (await signIn(app.browser(), "/auth", { callbackUrl })).location
    for (const name of ["m\u00fcnchen.test", "mu\u0308nchen.test", "M\u00dcNCHEN.TEST", "m\u00fcnchen\u3002test"])
      expect([name, await landed(`https://${name}/\u00f6`)]).toEqual([name, `${own}/%C3%B6`])
    for (const name of ["munchen.test", "m\u00fcnchen.test.evil.test", "m\u0430nchen.test", "m\u00fcnchen.test:444"])
      expect([name, await landed(`https://${name}/\u00f6`)]).toEqual([name, `${own}/`])
  })
})

describeServers("an answer as JSON", (start, stage) => {
  // What a server hands on is the same for all of them: one meets the whole list, the others a part.
  const tried = stage === "Auth()" ? EVIL : EVIL.filter((_, i) => i % 5 === 0)
  const asJson = { headers: { "x-auth-return-redirect": "1" } }
  const urlOf = async (page: Response): Promise<string> => (await page.json()).url

  it("RED-20: leads to this site alone, whatever was asked for", async () => {
    const app = await start(configOf({ rateLimit: false }), setting)
    for (const callbackUrl of tried) {
      const browser = app.browser()
      const csrfToken = await browser.csrf()
      const fields = { csrfToken, callbackUrl, username: "ada", password: "right" }
      for (const path of ["/auth/callback/credentials", "/auth/signin/credentials", "/auth/signout"]) {
        const page = await browser.post(path, fields, asJson)
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "application/json"])
        expect(page.headers.get("cache-control")).toContain("no-store")
        const url = await urlOf(page)
        expect([callbackUrl, path, new URL(url).origin]).toEqual([callbackUrl, path, ORIGIN])
        // The header says the same, and no browser follows it.
        expect(new URL(page.location).href).toBe(new URL(url).href)
      }
    }
  })

  it.each(["1", "0", "false", "true", "x"])(
    "RED-20: is what the header asks for, whatever it says: %s",
    async (value) => {
      const browser = (await start(configOf(), setting)).browser()
      const headers = { "x-auth-return-redirect": value }
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
      expect([page.status, await urlOf(page)]).toEqual([200, ORIGIN])
    },
  )

  it.each([
    ["a wrong method", 405, "PUT", "/auth/signin", undefined, ""],
    ["an unknown provider", 404, "POST", "/auth/callback/nope", "a=1", ""],
    ["an unusable callback URL", 400, "GET", "/auth/signin?callbackUrl=x", undefined, ""],
    ["a body that is too large", 413, "POST", "/auth/signout", "x".repeat(70_000), ""],
    ["a body of another kind", 415, "POST", "/auth/signout", "x", "multipart/form-data; boundary=x"],
    ["half of JSON", 400, "POST", "/auth/signout", "{", "application/json"],
  ])("RED-20: says by its status that there was %s: %d", async (_name, status, method, path, body, type) => {
    const browser = (await start(configOf(), setting)).browser()
    const headers = { ...asJson.headers, accept: "text/html", ...(type && { "content-type": type }) }
    const page = await browser.request(path, { method, headers, ...(body !== undefined && { body }) })
    expect([page.status, page.location, page.headers.get("content-type")]).toEqual([status, "", "application/json"])
    expect(page.headers.get("cache-control")).toContain("no-store")
    const url = new URL(await urlOf(page))
    expect([url.origin, url.pathname]).toEqual([ORIGIN, "/auth/error"])
  })

  it("RED-20: sets the cookies that a redirect would", async () => {
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
