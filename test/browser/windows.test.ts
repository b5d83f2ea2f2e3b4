/**
 * Windows of one browser: the back button after a sign-out, and the access of a window to one that it opened.
 *
 * @module
 */
import { createServer } from "node:http"
import express from "express"
import type { Browser, Page } from "playwright-core"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import { configOf } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { describeInChromium, launch } from "./support/chromium.js"
import { arriveAt, heading, signInAtProvider, useExamples } from "./support/visits.js"

describeInChromium("after a sign-out", () => {
  let site: Listening
  beforeAll(async () => {
    const app = express().use(authMiddleware(configOf()))
    app.get("/", (_req, res) => void res.type("html").send("<h1>Home</h1>"))
    app.get("/me", requireAuth, (req, res) => void res.type("html").send(`<h1>${req.auth.user.name}</h1>`))
    site = await listen(createServer(app))
  })
  afterAll(() => site.close())

  async function signInAt(page: Page, path: string) {
    await page.goto(site.origin + path)
    await page.getByLabel("Name").fill("ada")
    await page.locator("input[type=password]").fill("right")
    await page.keyboard.press("Enter")
    await page.waitForURL(site.origin + path)
  }

  async function signOut(page: Page) {
    await page.goto(`${site.origin}/auth/signout?callbackUrl=/`)
    await page.getByRole("button", { name: "Sign out" }).click()
    await heading(page, "Home")
  }

  /** Playwright disables the back/forward cache by default. */
  const CACHES = {
    "the HTTP cache": {},
    "the back/forward cache": { ignoreDefaultArgs: ["--disable-back-forward-cache"] },
  }

  describe.each(Object.entries(CACHES))("with %s", (_name, options) => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch(options)
    })
    afterAll(() => browser.close())

    it("SEC-11: the back button shows no guarded page", async () => {
      const page = await (await browser.newContext()).newPage()
      page.setDefaultTimeout(5_000)
      await signInAt(page, "/me")
      await heading(page, "ada")
      await signOut(page)
      await page.evaluate("history.go(-2)")
      await page.waitForURL(/\/auth\/signin/)
      expect(await page.getByText("ada").count()).toBe(0)
    })
  })
})

describeInChromium("a window that signs in", () => {
  const examples = useExamples()

  /** Opens a window from a script of the page, which keeps it as `opened`. */
  async function openFrom(page: Page, url: string): Promise<Page> {
    const popup = page.context().waitForEvent("page")
    await page.evaluate(`void (window.opened = window.open(${JSON.stringify(url)}, "_blank", "width=500,height=600"))`)
    return popup
  }

  const isClosed = (page: Page) => page.evaluate("opened.closed")

  it("SEC-11: is accessible to a page of the same application that opened it", async () => {
    const { newPage } = await examples.newWindow(examples.builtInPages)
    const page = await newPage()
    await page.goto("/")
    const popup = await openFrom(page, "/auth/signin?callbackUrl=/profile")
    await signInAtProvider(popup, "Alice")
    await arriveAt(popup, "Profile")
    expect([await isClosed(page), await page.evaluate("opened.location.pathname")]).toEqual([false, "/profile"])
    await page.evaluate(`void addEventListener("message", ({ data }) => (window.message = data))`)
    await popup.evaluate(`opener.postMessage("signed in", location.origin)`)
    await page.waitForFunction(`window.message === "signed in"`)
    // A page can poll the session without access to the window.
    expect(await page.evaluate(`fetch("/auth/session").then((answer) => answer.json())`)).toMatchObject({
      user: { name: "Alice" },
    })
    await page.evaluate("opened.close()")
  })

  it.each(["/auth/signin", "/profile"])(
    "SEC-11: at %s is not accessible to another site that opened it",
    async (path) => {
      const other = await listen(
        createServer((_req, res) => void res.setHeader("Content-Type", "text/html").end("<title>x</title>")),
      )
      const { newPage } = await examples.newWindow(examples.builtInPages)
      const page = await newPage()
      await page.goto(other.origin)
      const popup = await openFrom(page, examples.builtInPages + path)
      await popup.getByRole("button", { name: "Continue with Development provider" }).waitFor()
      expect([await isClosed(page), await popup.evaluate("opener")]).toEqual([true, null])
      await page.evaluate(`opened.location = "about:blank"`)
      await popup.waitForTimeout(200)
      expect(new URL(popup.url()).pathname).toBe("/auth/signin")
      await signInAtProvider(popup, "Bob")
      await popup.waitForURL(/welcome|profile|\/$/)
      expect(await isClosed(page)).toBe(true)
      await other.close()
    },
  )
})
