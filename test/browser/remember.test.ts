/** Users choose on the sign-in page whether their session continues after the browser is closed. */
import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { configOf, people } from "../express/support/servers.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson } from "./support/chromium.js"
import { useVirtualAuthenticators } from "./support/virtual-authenticator.js"

// The virtual authenticator would accept an offer in a field at once.
const passkey = Passkey({ enableConditionalUI: false })
const THIRTY_DAYS_SECONDS = 30 * 86_400

describeInChromium("the choice to stay signed in", () => {
  let browser: Browser
  let op: FaultyProvider
  const sites: Listening[] = []
  beforeAll(async () => {
    ;[browser, op] = await Promise.all([launch(), startFaultyProvider()])
  })
  afterAll(() => Promise.all([browser?.close(), op?.close(), ...sites.map((site) => site.close())]))

  /** Opens the sign-in page of a site. Passkeys require a domain. */
  async function open(providers: AuthConfig["providers"], options: BrowserContextOptions = {}): Promise<Page> {
    const session = { remember: "ask", strategy: "jwt" } as const
    const config = configOf({ providers, session, adapter: MemoryAdapter() })
    const app = express().use(authMiddleware(config))
    app.get("/", (_req, res) => res.send("<!doctype html><title>Home</title>"))
    const site = await listen(createServer(app))
    sites.push(site)
    const baseURL = site.origin.replace("127.0.0.1", "localhost")
    const person = await newPerson(browser, { baseURL, locale: "en", ...options })
    const page = await person.newPage()
    await page.goto("/auth/signin")
    return page
  }

  /** The remaining seconds of the session cookie; -1 if it ends with the browser. */
  async function lifetime(page: Page): Promise<number | undefined> {
    await page.waitForURL((url) => url.pathname === "/")
    const cookies = await page.context().cookies()
    const expires = cookies.find(({ name }) => name === "authjs.session-token")?.expires
    return expires === undefined || expires === -1 ? expires : expires - Date.now() / 1000
  }

  const check = (page: Page, index = 0) => page.getByLabel("Stay signed in").nth(index).check()
  const almost = (seconds: number) => expect.closeTo(seconds, -2)

  it.each([false, true])(
    "is followed by a form and by a provider's button without JavaScript: %j",
    async (isChecked) => {
      for (const [index, signIn] of [
        async (page: Page) => {
          await page.locator('[name="username"]').fill("ada")
          await page.locator('[name="password"]').fill("right")
          await page.keyboard.press("Enter")
        },
        (page: Page) => page.getByRole("button", { name: op.oidc().name }).click(),
      ].entries()) {
        const page = await open([people(), op.oidc()], { javaScriptEnabled: false })
        if (isChecked) await check(page, index)
        await signIn(page)
        expect(await lifetime(page)).toEqual(isChecked ? almost(THIRTY_DAYS_SECONDS) : -1)
      }
    },
  )

  it.each([
    ["of another form", [people(), passkey]],
    ["of its own form", [passkey]],
  ] as [string, AuthConfig["providers"]][])(
    "is followed by passkeys with the checkbox %s",
    async (_title, providers) => {
      const page = await open(providers)
      await (await useVirtualAuthenticators(page))()
      expect(await page.getByLabel("Stay signed in").count()).toBe(1)
      await page.locator("summary").click()
      await page.locator('form[data-passkey="register"] [name="email"]').fill("ada@example.com")
      await page.getByRole("button", { name: "Create a passkey" }).click()
      expect(await lifetime(page)).toBe(-1)
      await page.context().clearCookies()
      await page.goto("/auth/signin")
      await check(page)
      await page.getByRole("button", { name: "Sign in with a passkey" }).click()
      expect(await lifetime(page)).toEqual(almost(THIRTY_DAYS_SECONDS))
    },
  )

  it("has no accessibility problem, and is reached by the keyboard before the button", async () => {
    const page = await open([people(), op.oidc()])
    expect(await accessibilityProblems(page)).toEqual([])
    await page.locator('[name="password"]').focus()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    expect(await page.getByLabel("Stay signed in").first().isChecked()).toBe(true)
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.type")).toBe("submit")
  })
})
