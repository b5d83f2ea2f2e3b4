/** A user posts a form that needs a recent authentication, confirms who they are, and is back at the form. */
import { createServer } from "node:http"
import express from "express"
import type { Browser } from "playwright-core"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import { MemoryStore } from "../../lib/store/memory.js"
import { configOf } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson } from "./support/chromium.js"

const FORM = `<!doctype html><html lang="en"><title>Transfer</title><h1>Transfer</h1>
<form action="/transfer" method="post"><label>Amount <input name="amount"></label><button>Send</button></form>`

describeInChromium("a form that needs a recent authentication", () => {
  const time = { now: Date.now() }
  const transfers: unknown[] = []
  let browser: Browser
  let site: Listening
  beforeAll(async () => {
    const app = express()
    // Browsers then name the page with the form in requests to this site only.
    app.use((_req, res, next) => {
      res.set("Referrer-Policy", "same-origin")
      next()
    })
    app.use(authMiddleware(configOf({ store: MemoryStore(), clock: () => time.now })))
    app.use(express.urlencoded({ extended: false }))
    app.get("/account", requireAuth, (_req, res) => void res.send(FORM))
    app.post("/transfer", requireAuth({ freshWithin: "10m" }), (req, res) => {
      transfers.push(req.body)
      res.send("<!doctype html><title>Done</title>")
    })
    ;[browser, site] = await Promise.all([launch(), listen(createServer(app))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  it.each([true, false])("leads to a confirmation and back to the form (JavaScript: %s)", async (javaScriptEnabled) => {
    const person = await newPerson(browser, { baseURL: site.origin, locale: "en", javaScriptEnabled })
    const page = await person.newPage()
    const submitPassword = async () => {
      await page.locator('[name="username"]').fill("ada")
      await page.locator('[name="password"]').fill("right")
      await page.keyboard.press("Enter")
    }
    const send = async (amount: string) => {
      await page.getByLabel("Amount").fill(amount)
      const [response] = await Promise.all([page.waitForResponse(/transfer/), page.keyboard.press("Enter")])
      return response.status()
    }
    await page.goto("/account?tab=2")
    await submitPassword()
    await page.waitForURL(/tab=2/)
    time.now += 11 * 60_000
    const before = transfers.length
    expect(await send("5")).toBe(401)
    await page.getByText("What you sent was not saved.").waitFor()
    if (javaScriptEnabled) expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole("link", { name: "Confirm" }).click()
    await page.getByRole("heading", { name: "Confirm that it's you" }).waitFor()
    await submitPassword()
    await page.waitForURL(`${site.origin}/account?tab=2`)
    expect([transfers.length, await send("7")]).toEqual([before, 200])
    expect(transfers.at(-1)).toEqual({ amount: "7" })
    await person.context.close()
  })
})
