import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import {
  accessibilityProblems,
  describeInChromium,
  launch,
  newPerson,
  overflow,
  type Person,
} from "../browser/support/chromium.js"
import { chooseAtProvider, currentPath, heading } from "../browser/support/visits.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describeInChromium("examples/express-ejs in a browser", () => {
  let browser: Browser
  let example: RunningExample
  const people: Person[] = []

  beforeAll(async () => {
    ;[browser, example] = await Promise.all([launch(), runExample("examples/express-ejs/server.js")])
  })
  afterEach(async () => {
    const finished = people.splice(0)
    await Promise.all(finished.map(({ context }) => context.close()))
    expect(finished.flatMap(({ complaints }) => complaints)).toEqual([])
  })
  afterAll(() => Promise.all([browser?.close(), example?.stop()]))

  async function open(options: BrowserContextOptions): Promise<Page> {
    const person = await newPerson(browser, { baseURL: example.origin, ...options })
    people.push(person)
    return person.newPage()
  }

  /** Requests a link on the current page, and opens the newest email. */
  async function askForMail(page: Page, email: string) {
    await page.getByLabel("Email").fill(email)
    await page.getByRole("button", { name: "Email me a sign-in link" }).click()
    await heading(page, "Check your email")
    await page.getByRole("link", { name: "Read the mail" }).click()
    await heading(page, "Emails")
  }

  const linkInMail = (page: Page) => page.frameLocator("iframe").getByRole("link", { name: "Sign in", exact: true })

  it.each([
    { script: "with", javaScriptEnabled: true },
    { script: "without", javaScriptEnabled: false },
  ])("signs in by an email link $script JavaScript and continues to the guarded page", async (options) => {
    const page = await open(options)
    await page.goto("/orders")
    await askForMail(page, `dora-${options.script}@example.com`)
    await linkInMail(page).click()
    await heading(page, /^Welcome/)
    await page.getByRole("link", { name: "Go on" }).click()
    await heading(page, "Orders")
    await page.getByRole("button", { name: "Sign out" }).click()
    await heading(page, "You are signed out")
  })

  it("signs in by the link of the email's text version", async () => {
    const page = await open({})
    await page.goto("/orders")
    await askForMail(page, "erin@example.com")
    await page.locator(".text").getByRole("link").click()
    await heading(page, /^Welcome/)
  })

  it("focuses the mistyped address", async () => {
    const page = await open({})
    await page.goto("/login")
    await page.getByLabel("Email").fill("frank..f@example.com")
    await page.getByRole("button", { name: "Email me a sign-in link" }).click()
    await page.locator('input[value="frank..f@example.com"]:focus').waitFor()
  })

  describe.each([
    { colorScheme: "light", width: 1000, user: "Alice" },
    { colorScheme: "dark", width: 320, user: "Bob" },
  ] as const)("in $colorScheme mode at $width pixels", ({ colorScheme, width, user }) => {
    async function inspect(page: Page) {
      const found = { problems: await accessibilityProblems(page), overflow: await overflow(page) }
      expect({ page: page.url(), ...found }).toEqual({ page: page.url(), problems: [], overflow: 0 })
    }

    it("its pages for emails and accounts are accessible", async () => {
      const page = await open({ colorScheme, viewport: { width, height: 700 } })
      for (const error of ["EmailSignInError", "OAuthAccountNotLinked"]) {
        await page.goto(`/login?${new URLSearchParams({ error, callbackUrl: "/account" })}`)
        await inspect(page)
      }
      await page.getByLabel("Email").fill(`${user}@work.example`)
      await page.getByRole("button", { name: "Email me a sign-in link" }).click()
      await heading(page, "Check your email")
      await inspect(page)
      await page.getByRole("link", { name: "Read the mail" }).click()
      await heading(page, "Emails")
      await inspect(page)
      await linkInMail(page).click()
      await heading(page, /^Welcome/)
      await inspect(page)
      await page.goto("/account?error=OAuthAccountNotLinked")
      await inspect(page)
      await page.getByRole("button", { name: "Link Development provider" }).click()
      await chooseAtProvider(page, user)
      await page.getByText("Development provider", { exact: true }).waitFor()
      expect(currentPath(page)).toBe("/account")
      await inspect(page)
    }, 60_000)
  })
})
