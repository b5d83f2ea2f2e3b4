import { Auth } from "../../lib/index.js"
import { describeServers } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { recordingLogger } from "../support/recording-logger.js"
import { guardProcess } from "./support/guard.js"
import { type Site, type SiteOptions, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const NAME = "authjs.error-reference"
const REFERENCE = /Reference: <b dir="ltr">([0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4})<\/b>/

const shownIn = async (page: Page | Response): Promise<string | undefined> => REFERENCE.exec(await page.text())?.[1]
const loggedIn = (one: Site): unknown[] => one.failures().map(({ error }) => Object(error?.cause).reference)

/** A sign-in at a provider that is down; ends with the redirect to the page. */
async function failedSignIn(browser: Browser): Promise<Page> {
  op.set({ fault: { token: { status: 500, body: "down" } } })
  return signIn(browser, op)
}

describeServers("The reference of a failure", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("is on the sign-in page and in the log", async () => {
    const one = await site()
    const browser = one.app.browser()
    const failed = await failedSignIn(browser)
    expect(failed.location).toBe(`${one.app.origin}/auth/signin?error=OAuthCallbackError`)
    const shown = await shownIn(await browser.get(failed.location))
    expect(shown).toEqual(expect.any(String))
    expect(loggedIn(one)).toEqual([shown])
  })

  it("is on the page for errors and in the log", async () => {
    const callbacks = {
      signIn: () => {
        throw new Error("the application's own mistake")
      },
    }
    const one = await site({ config: { callbacks } })
    const browser = one.app.browser()
    const failed = await signIn(browser, op)
    expect(new URL(failed.location).pathname).toBe("/auth/error")
    const shown = await shownIn(await browser.get(failed.location))
    expect(shown).toEqual(expect.any(String))
    expect(loggedIn(one)).toEqual([shown])
  })

  it("is another one for each failure", async () => {
    const one = await site()
    const [a, b] = [one.app.browser(), one.app.browser()]
    await failedSignIn(a)
    const second = await failedSignIn(b)
    const [first, last] = loggedIn(one)
    expect(first).not.toBe(last)
    expect(await shownIn(await b.get(second.location))).toBe(last)
  })

  it("is shown once, and then forgotten", async () => {
    const one = await site()
    const browser = one.app.browser()
    const { location } = await failedSignIn(browser)
    await browser.get(location)
    expect(browser.cookie(NAME)).toBeUndefined()
    expect(await shownIn(await browser.get(location))).toBeUndefined()
  })

  it("is not shown to whoever looks ahead with HEAD, and then still there", async () => {
    const one = await site()
    const browser = one.app.browser()
    const { location } = await failedSignIn(browser)
    await browser.request(location, { method: "HEAD" })
    expect(await shownIn(await browser.get(location))).toBe(loggedIn(one)[0])
  })

  it("does not stand on the page of another failure", async () => {
    const one = await site()
    const browser = one.app.browser()
    await failedSignIn(browser)
    expect(await shownIn(await browser.get("/auth/signin?error=SessionRequired"))).toBeUndefined()
  })

  it("can't be made up, in an address or in a cookie", async () => {
    const one = await site()
    const browser = one.app.browser()
    const { location } = await failedSignIn(browser)
    const sealed = browser.cookie(NAME) ?? ""
    for (const planted of ["K7QF-3M2X", '"><script>alert(1)</script>', sealed.slice(0, -4), `${sealed}x`]) {
      browser.setCookie(NAME, encodeURIComponent(planted))
      for (const address of [`${location}&ref=K7QF-3M2X&reference=K7QF-3M2X`, "/auth/error?error=OAuthCallbackError"]) {
        const text = await (await browser.get(address)).text()
        expect(text).not.toMatch(/Reference:|K7QF|alert\(1\)/)
      }
    }
  })

  it("is nothing for programs: in JSON mode the answer is as it was", async () => {
    const one = await site()
    const browser = one.app.browser()
    const headers = { "x-auth-return-redirect": "1" }
    const csrfToken = await browser.csrf()
    op.set({ fault: { discovery: { status: 500, body: "down" } } })
    const page = await browser.post("/auth/signin/oidc", { csrfToken }, { headers })
    expect(await page.json()).toEqual({ url: `${one.app.origin}/auth/signin?error=OAuthCallbackError` })
    expect(page.headers.getSetCookie().filter((cookie) => cookie.includes(NAME))).toEqual([])
    // The operator finds it all the same, by the time.
    expect(loggedIn(one)).toEqual([expect.any(String)])
  })

  it("has no place on pages of the application's own", async () => {
    const one = await site({ config: { pages: { signIn: "/login" } } })
    const browser = one.app.browser()
    const failed = await failedSignIn(browser)
    expect(new URL(failed.location).pathname).toBe("/login")
    expect(browser.cookie(NAME)).toBeUndefined()
  })

  it("is not given for what people do themselves", async () => {
    const one = await site()
    const browser = one.app.browser()
    const failed = await browser.post("/auth/signin/oidc", { csrfToken: "old" })
    expect(failed.location).toContain("error=MissingCSRF")
    expect([browser.cookie(NAME), loggedIn(one)]).toEqual([undefined, [undefined]])
  })
})

describe("The reference of a mistake in the configuration", () => {
  it("stands on the page that is the answer, and in the log", async () => {
    const { logger, records } = recordingLogger()
    const request = new Request("https://app.test/auth/signin", { headers: { accept: "text/html" } })
    const page = await Auth(request, { providers: [], trustHost: true, basePath: "/auth", secret: "", logger })
    expect(page.status).toBe(500)
    const shown = await shownIn(page)
    expect(shown).toEqual(expect.any(String))
    expect(records.map(({ error }) => Object(error?.cause).reference)).toContain(shown)
    expect(page.headers.getSetCookie()).toEqual([])
  })
})
