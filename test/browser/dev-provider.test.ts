import { createServer, type Server } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import { type DevProvider, devProvider } from "../../lib/testing.js"
import { listen } from "../support/listen.js"
import { recordingLogger } from "../support/recording-logger.js"
import {
  accessibilityProblems,
  describeInChromium,
  launch,
  newPerson,
  overflow,
  type Person,
} from "./support/chromium.js"
import { heading } from "./support/visits.js"

/** A site whose guarded page shows the email address from the provider. */
function createSite(dev: DevProvider, formPost: DevProvider): Server {
  const app = express()
  app.get("/favicon.ico", (_req, res) => res.status(204).end())
  app.use(authMiddleware({ providers: [dev, formPost], logger: recordingLogger().logger }))
  app.get("/me", requireAuth, (req, res) => res.send(`<!doctype html><title>Me</title><h1>${req.auth.user.email}</h1>`))
  return createServer(app)
}

describeInChromium("page of devProvider() in a browser", () => {
  let browser: Browser
  let origin = ""
  const closed: (() => Promise<void>)[] = []
  const people: Person[] = []

  beforeAll(async () => {
    const formPost = {
      id: "posting",
      name: "Posting provider",
      authorization: { params: { response_mode: "form_post" } },
    }
    const [dev, posting, launched] = await Promise.all([
      devProvider({ port: 0 }).listen(),
      devProvider({ port: 0, ...formPost }).listen(),
      launch(),
    ])
    browser = launched
    const site = await listen(createSite(dev, posting))
    // The application runs on another site than the provider, as in production.
    origin = site.origin.replace("127.0.0.1", "localhost")
    closed.push(
      () => dev.close(),
      () => posting.close(),
      site.close,
      () => browser.close(),
    )
  })
  afterEach(async () => {
    const finished = people.splice(0)
    await Promise.all(finished.map(({ context }) => context.close()))
    expect(finished.flatMap(({ complaints }) => complaints)).toEqual([])
  })
  afterAll(() => Promise.all(closed.map((close) => close())))

  async function open(options: BrowserContextOptions = {}, provider = "Development provider"): Promise<Page> {
    const person = await newPerson(browser, { baseURL: origin, ...options })
    people.push(person)
    const page = await person.newPage()
    await page.goto("/me")
    await page.getByRole("button", { name: `Continue with ${provider}` }).click()
    await heading(page, "Choose a user")
    return page
  }

  const isShown = (page: Page, email: string) => heading(page, email)

  it.each([
    { script: "with", javaScriptEnabled: true },
    { script: "without", javaScriptEnabled: false },
  ])("signs in with one click or with custom claims $script JavaScript", async ({ javaScriptEnabled }) => {
    const page = await open({ javaScriptEnabled })
    await page.getByRole("button", { name: "Alice" }).click()
    await isShown(page, "alice@example.com")
    const other = await open({ javaScriptEnabled })
    await other.getByText("New user").click()
    await other.getByRole("textbox", { name: "Email" }).filter({ visible: true }).fill("carol@example.com")
    await other.getByRole("button", { name: "Sign in with these claims" }).filter({ visible: true }).click()
    await isShown(other, "carol@example.com")
  })

  it.each([true, false])("returns by form_post, JavaScript: %s", async (javaScriptEnabled) => {
    const page = await open({ javaScriptEnabled }, "Posting provider")
    await page.getByRole("button", { name: "Bob" }).click()
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click()
    await isShown(page, "bob@example.com")
  })

  it("can be used with the keyboard alone", async () => {
    const page = await open()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Change the claims of Alice")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.type("a.liddell@example.com")
    await page.keyboard.press("Enter")
    await isShown(page, "a.liddell@example.com")
  })

  it.each([
    { colorScheme: "light", width: 1000 },
    { colorScheme: "dark", width: 360 },
  ] as const)("is accessible in $colorScheme mode at $width pixels", async ({ colorScheme, width }) => {
    const page = await open({ colorScheme, viewport: { width, height: 700 } })
    const inspect = async () => ({ problems: await accessibilityProblems(page), overflow: await overflow(page) })
    const expected = { problems: [], overflow: 0 }
    expect(await inspect()).toEqual(expected)
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    expect(await inspect()).toEqual(expected)
    const form = page.locator("form", { has: page.locator('input[name="sub"][value=""]') })
    await form.getByRole("textbox", { name: "Other claims" }).fill("{")
    await form.getByRole("button").click()
    await page.getByRole("alert").waitFor()
    expect(people[0]?.complaints.splice(0)).toEqual([expect.stringContaining("422")])
    await page.locator('[name="more"]:focus').waitFor()
    expect(await inspect()).toEqual(expected)
  })
})
