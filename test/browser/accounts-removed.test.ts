/** The owner of an address opens the first link after another user has linked an account to it. */
import { createServer } from "node:http"
import express from "express"
import type { Browser } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import { mailbox } from "../flows/support/mail.js"
import { TEST_SECRET } from "../support/apps.js"
import { listen } from "../support/listen.js"
import { recordingLogger } from "../support/recording-logger.js"
import { accessibilityProblems, describeInChromium, launch } from "./support/chromium.js"

const ADA = "ada@example.com"

describeInChromium("page of removed accounts", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  it("lists the removed accounts, and its link leads to the requested page", async () => {
    const adapter = MemoryAdapter()
    const { id: userId } = await adapter.createUser({ id: "", email: ADA, emailVerified: null })
    await adapter.linkAccount({ userId, provider: "old", providerAccountId: "eve", type: "oauth" })
    const mail = mailbox()
    const { logger } = recordingLogger()
    const app = express()
    app.use(authMiddleware({ secret: TEST_SECRET, adapter, providers: [mail.provider], logger }))
    app.get("/me", (req, res, next) => {
      req.getSession().then((session) => res.send(`<title>Me</title><h1>${session?.user?.email}</h1>`), next)
    })
    const { origin, close } = await listen(createServer(app))
    const page = await browser.newPage()
    await page.goto(`${origin}/auth/signin?callbackUrl=/me`)
    await page.getByLabel("Email").fill(ADA)
    await page.keyboard.press("Enter")
    await page.waitForURL(/verify-request/)
    await page.goto(mail.linkTo(ADA))
    await page.getByRole("listitem").getByText("old", { exact: true }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole("link", { name: "Continue" }).click()
    await page.getByRole("heading", { name: ADA }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/me")
    await close()
  })
})
