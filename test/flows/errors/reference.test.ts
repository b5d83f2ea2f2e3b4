import { Auth } from "../../../lib/index.js"
import { describeServers } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { recordingLogger } from "../../support/recording-logger.js"
import { guardProcess } from "../support/guard.js"
import { type Site, type SiteOptions, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const NAME = "authjs.error-reference"
const REFERENCE = /Reference: <b dir="auto">([0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4})<\/b>/

const referenceIn = async (page: Page | Response): Promise<string | undefined> => REFERENCE.exec(await page.text())?.[1]
const loggedReferences = (site: Site): unknown[] => site.failures().map(({ error }) => Object(error?.cause).reference)

/** Signs in at a provider that is down, and returns the redirect. */
async function failSignIn(browser: Browser): Promise<Page> {
  op.set({ fault: { token: { status: 500, body: "down" } } })
  return signIn(browser, op)
}

describeServers("The reference of a failure", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("is on the sign-in page and in the log", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const failed = await failSignIn(browser)
    expect(failed.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
    const shownReference = await referenceIn(await browser.get(failed.location))
    expect(shownReference).toEqual(expect.any(String))
    expect(loggedReferences(site)).toEqual([shownReference])
  })

  it("is on the error page and in the log", async () => {
    const callbacks = {
      signIn: () => {
        throw new Error("the callback fails")
      },
    }
    const site = await createSite({ config: { callbacks } })
    const browser = site.app.browser()
    const failed = await signIn(browser, op)
    expect(new URL(failed.location).pathname).toBe("/auth/error")
    const shownReference = await referenceIn(await browser.get(failed.location))
    expect(shownReference).toEqual(expect.any(String))
    expect(loggedReferences(site)).toEqual([shownReference])
  })

  it("differs for each failure", async () => {
    const site = await createSite()
    const [a, b] = [site.app.browser(), site.app.browser()]
    await failSignIn(a)
    const second = await failSignIn(b)
    const [first, last] = loggedReferences(site)
    expect(first).not.toBe(last)
    expect(await referenceIn(await b.get(second.location))).toBe(last)
  })

  it("is shown once", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const { location } = await failSignIn(browser)
    await browser.get(location)
    expect(browser.cookie(NAME)).toBeUndefined()
    expect(await referenceIn(await browser.get(location))).toBeUndefined()
  })

  it("is kept after a HEAD request", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const { location } = await failSignIn(browser)
    await browser.request(location, { method: "HEAD" })
    expect(await referenceIn(await browser.get(location))).toBe(loggedReferences(site)[0])
  })

  it("is not shown on the page of another failure", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    await failSignIn(browser)
    expect(await referenceIn(await browser.get("/auth/signin?error=SessionRequired"))).toBeUndefined()
  })

  it("cannot be forged in a URL or a cookie", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const { location } = await failSignIn(browser)
    const sealed = browser.cookie(NAME) ?? ""
    for (const planted of ["K7QF-3M2X", '"><script>alert(1)</script>', sealed.slice(0, -4), `${sealed}x`]) {
      browser.setCookie(NAME, encodeURIComponent(planted))
      for (const address of [`${location}&ref=K7QF-3M2X&reference=K7QF-3M2X`, "/auth/error?error=OAuthCallbackError"]) {
        const text = await (await browser.get(address)).text()
        expect(text).not.toMatch(/Reference:|K7QF|alert\(1\)/)
      }
    }
  })

  it("is not part of JSON responses, but is logged", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const headers = { "x-auth-return-redirect": "1" }
    const csrfToken = await browser.csrf()
    op.set({ fault: { discovery: { status: 500, body: "down" } } })
    const page = await browser.post("/auth/signin/oidc", { csrfToken }, { headers })
    expect(await page.json()).toEqual({ url: `${site.app.origin}/auth/signin?error=OAuthCallbackError` })
    expect(page.headers.getSetCookie().filter((cookie) => cookie.includes(NAME))).toEqual([])
    expect(loggedReferences(site)).toEqual([expect.any(String)])
  })

  it("is not set for custom pages", async () => {
    const site = await createSite({ config: { pages: { signIn: "/login" } } })
    const browser = site.app.browser()
    const failed = await failSignIn(browser)
    expect(new URL(failed.location).pathname).toBe("/login")
    expect(browser.cookie(NAME)).toBeUndefined()
  })

  it("is not created for errors of the user", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const failed = await browser.post("/auth/signin/oidc", { csrfToken: "old" })
    expect(failed.location).toContain("error=MissingCSRF")
    expect([browser.cookie(NAME), loggedReferences(site)]).toEqual([undefined, [undefined]])
  })
})

describe("The reference of an invalid configuration", () => {
  it("is in the response and in the log", async () => {
    const { logger, records } = recordingLogger()
    const request = new Request("https://app.test/auth/signin", { headers: { accept: "text/html" } })
    const page = await Auth(request, { providers: [], trustHost: true, basePath: "/auth", secret: "", logger })
    expect(page.status).toBe(500)
    const shownReference = await referenceIn(page)
    expect(shownReference).toEqual(expect.any(String))
    expect(records.map(({ error }) => Object(error?.cause).reference)).toContain(shownReference)
    expect(page.headers.getSetCookie()).toEqual([])
  })
})
