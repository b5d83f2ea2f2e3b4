import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { authMiddleware } from "../../lib/index.js"
import GitHub from "../../lib/providers/github.js"
import { configOf, people, withEnv } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson, overflow } from "./support/chromium.js"

/** Actions of a visitor, by the error code that the page then shows. */
const FAILURES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  "flow-cookie-missing": (page) => page.goto("/auth/callback/github?code=a-code&state=a-state"),
  "provider-unknown": (page) => page.goto("/auth/signin/gihtub"),
  "csrf-token-missing": async (page) => {
    await page.goto("/auth/signout")
    const leaves = page.waitForURL("**/signin?error=MissingCSRF**")
    await page.evaluate("document.forms[0].csrfToken.remove(); document.forms[0].requestSubmit()")
    await leaves
  },
}

describeInChromium("error details on pages in development", () => {
  let browser: Browser
  let site: Listening
  beforeAll(async () => {
    const config = configOf({ providers: [GitHub({ clientId: "an-id", clientSecret: "a-secret" }), people()] })
    const app = express().use(withEnv({ NODE_ENV: "development" }, () => authMiddleware(config)))
    ;[browser, site] = await Promise.all([launch(), listen(createServer(app))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  it.each<[string, BrowserContextOptions]>([
    ["in light mode", { colorScheme: "light" }],
    ["in dark mode at 360 pixels", { colorScheme: "dark", viewport: { width: 360, height: 780 } }],
  ])("are accessible %s", async (_, look) => {
    const person = await newPerson(browser, { baseURL: site.origin, ...look })
    const page = await person.newPage()
    for (const [code, fail] of Object.entries(FAILURES)) {
      await fail(page)
      expect(await page.getByRole("complementary").textContent()).toContain(code)
      expect([code, await accessibilityProblems(page), await overflow(page)]).toEqual([code, [], 0])
      const border = "getComputedStyle(document.querySelector('.developer')).borderBlockStartStyle"
      expect(await page.evaluate(border)).toBe("dashed")
    }
    expect(person.complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([])
    await person.context.close()
  })
})
