/**
 * Forms that redirect to another origin, on pages with the policy `form-action 'self'`.
 *
 * @module
 */
import { createServer } from "node:http"
import express, { type Express } from "express"
import type { Browser, Page } from "playwright-core"
import { authMiddleware, optionalAuth, requireAuth } from "../../lib/index.js"
import { type DevProvider, devProvider } from "../../lib/testing.js"
import { configOf } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { describeInChromium, launch, newPerson, type Person } from "./support/chromium.js"
import { heading } from "./support/visits.js"

/** What helmet 8 sets by default. */
const HELMET = {
  "Content-Security-Policy":
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline';upgrade-insecure-requests",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
  "X-Download-Options": "noopen",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Permitted-Cross-Domain-Policies": "none",
  "X-XSS-Protection": "0",
}

describeInChromium("pages with helmet's default headers", () => {
  let browser: Browser
  let dev: DevProvider
  let site: Listening
  let elsewhere: Listening
  let person: Person

  function createSite(): Express {
    const app = express()
    app.get("/favicon.ico", (_req, res) => void res.status(204).end())
    app.use((_req, res, next) => {
      res.set(HELMET)
      next()
    })
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) =>
      url.startsWith(`${elsewhere.origin}/`) || url.startsWith(baseUrl) ? url : new URL(url, baseUrl).href
    const config = configOf({ providers: [dev], pages: { signIn: "/login" }, callbacks: { redirect } })
    app.use(authMiddleware(config))
    app.get("/login", (_req, res) => {
      const { auth } = res.locals
      res.send(
        `<form action="${auth.providers[0]?.signinUrl}" method="post">${auth.csrfField()}
          <input type="hidden" name="callbackUrl" value="/me"><button>Sign in</button></form>`,
      )
    })
    app.get("/me", requireAuth, (req, res) => {
      const { auth } = res.locals
      res.send(
        `<h1>${req.auth?.user.name}</h1><form action="${auth.signOutUrl}" method="post">${auth.csrfField()}
          <input type="hidden" name="callbackUrl" value="${elsewhere.origin}/end-session"><button>Sign out</button></form>`,
      )
    })
    app.get("/", optionalAuth, (req, res) => void res.send(`<h1>${req.auth ? "Signed in" : "Signed out"}</h1>`))
    return app
  }

  beforeAll(async () => {
    ;[browser, dev, elsewhere] = await Promise.all([
      launch(),
      devProvider({ port: 0 }).listen(),
      listen(createServer((_req, res) => void res.setHeader("Content-Type", "text/html").end("<h1>Elsewhere</h1>"))),
    ])
    site = await listen(createServer(createSite()))
  })
  afterAll(() => Promise.all([browser.close(), dev.close(), site.close(), elsewhere.close()]))

  async function signIn(javaScriptEnabled: boolean): Promise<Page> {
    person = await newPerson(browser, { baseURL: site.origin, javaScriptEnabled })
    const page = await person.newPage()
    await page.goto("/login")
    await page.getByRole("button", { name: "Sign in" }).click()
    await heading(page, "Choose a user")
    return page
  }
  afterEach(async () => {
    await person.context.close()
    expect(person.complaints).toEqual([])
  })

  it.each([true, false])(
    "a form signs in at a provider and signs out to another origin, JavaScript: %s",
    async (js) => {
      const page = await signIn(js)
      await page.getByRole("button", { name: "Alice" }).click()
      await heading(page, /^Alice/)
      await page.getByRole("button", { name: "Sign out" }).click()
      await heading(page, "Elsewhere")
      await page.goto("/")
      await heading(page, "Signed out")
    },
  )

  it("the back button returns from the provider to the form", async () => {
    const page = await signIn(true)
    await page.goBack()
    await page.getByRole("button", { name: "Sign in" }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/login")
  })
})
