import { createServer } from "node:http"
import express from "express"
import type { Browser } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import { csrf, sessionOf, signInAs, signOut } from "../../lib/testing.js"
import { TEST_SECRET } from "../support/apps.js"
import { type Listening, listen } from "../support/listen.js"
import { describeInChromium, launch } from "./support/chromium.js"

const ADA = { name: "Ada", email: "ada@example.com" }

describeInChromium("signInAs with a Playwright context", () => {
  const config = { secret: TEST_SECRET, adapter: MemoryAdapter(), providers: [Credentials({ authorize: () => null })] }
  const app = express().use(authMiddleware(config))
  app.get("/profile", requireAuth, (req, res) => {
    res.send(`<h1>${req.auth.user.name}</h1><form method="post" action="/auth/signout">
      <input name="csrfToken"><button>Sign out</button></form>`)
  })
  let browser: Browser
  let site: Listening
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([launch(), listen(createServer(app))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  it("signs in, switches the user, and signs out", async () => {
    const context = await browser.newContext({ baseURL: site.origin })
    const page = await context.newPage()
    const titleOf = async (path: string) => {
      await page.goto(path)
      return page.getByRole("heading", { level: 1 }).textContent()
    }
    await signInAs(context, ADA, { config, origin: site.origin })
    expect(await titleOf("/profile")).toBe("Ada")
    await signInAs(context, { name: "Bob" })
    expect(await titleOf("/profile")).toBe("Bob")
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/", domain: "127.0.0.1" })
    await signOut(context)
    expect([await titleOf("/profile"), await sessionOf(context)]).toEqual([expect.stringContaining("Sign in"), null])
    await context.close()
  })

  it("csrf returns the token for a form of the application", async () => {
    const context = await browser.newContext({ baseURL: site.origin })
    await signInAs(context, ADA, { config, origin: site.origin })
    const page = await context.newPage()
    await page.goto("/profile")
    await page.locator("input").fill(await csrf(context))
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${site.origin}/`)
    expect(await sessionOf(context)).toBeNull()
    await context.close()
  })

  it("requires the origin of the application", async () => {
    const context = await browser.newContext()
    await expect(signInAs(context, ADA, { config })).rejects.toThrow('write signInAs(agent, …, { origin: "http')
    await context.close()
  })
})
