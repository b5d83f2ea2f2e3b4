/** A user sees the own sessions in two browsers, and ends them without scripts. */
import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { authMiddleware } from "../../lib/index.js"
import { MemoryStore } from "../../lib/store/memory.js"
import { configOf } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson, overflow } from "./support/chromium.js"

const PAGE = "/auth/sessions"

describeInChromium("page of the user's sessions", () => {
  let browser: Browser
  let site: Listening
  beforeAll(async () => {
    const app = express().use(authMiddleware(configOf({ store: MemoryStore() })))
    ;[browser, site] = await Promise.all([launch(), listen(createServer(app))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  /** Opens the page in a new browser, signs in, and is led back to the page. */
  async function signedIn(options: BrowserContextOptions): Promise<Page> {
    const page = await newPerson(browser, { baseURL: site.origin, locale: "en", ...options }).then((one) =>
      one.newPage(),
    )
    await page.goto(PAGE)
    await page.locator('[name="username"]').fill("ada")
    await page.locator('[name="password"]').fill("right")
    await page.keyboard.press("Enter")
    await page.waitForURL(site.origin + PAGE)
    return page
  }

  /** The number of sessions on the page; 0 if it leads to the sign-in page. */
  async function count(page: Page): Promise<number> {
    await page.goto(PAGE)
    return page.getByRole("listitem").count()
  }

  it("ends one session, and after a confirmation all others, without JavaScript", async () => {
    const options = { javaScriptEnabled: false }
    const [first, second, third] = [await signedIn(options), await signedIn(options), await signedIn(options)]
    expect(await count(first)).toBe(3)
    await first.getByRole("listitem").filter({ hasText: "This device" }).getByText("Chrome on Linux").waitFor()
    await first.getByRole("button", { name: "Sign out" }).first().click()
    expect([await count(first), await count(third), await count(second)]).toEqual([2, 0, 2])
    const confirm = second.getByRole("button", { name: "Sign out on other devices" })
    expect(await confirm.isVisible()).toBe(false)
    await second.getByText("Sign out everywhere else").click()
    await confirm.click()
    expect([await count(second), await count(first)]).toEqual([1, 0])
  })

  it("has no accessibility problem with several sessions, from right to left as well", async () => {
    const viewport = { width: 360, height: 700 }
    const pages = [await signedIn({ viewport }), await signedIn({ viewport, locale: "ar" })]
    for (const page of pages) {
      await page.reload()
      await page.locator("summary").click()
      expect([await accessibilityProblems(page), await overflow(page)]).toEqual([[], 0])
    }
    expect(await pages[1]?.locator("html").getAttribute("dir")).toBe("rtl")
  })
})
