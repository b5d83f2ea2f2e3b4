import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { authMiddleware } from "../../lib/index.js"
import GitHub from "../../lib/providers/github.js"
import { configOf, people, withEnv } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson, overflow } from "./support/chromium.js"

/** What a person does, by the code that the page then says. */
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

describeInChromium("what a developer is told beside a page", () => {
  let browser: Browser
  let site: Listening
  beforeAll(async () => {
    const config = configOf({ providers: [GitHub({ clientId: "an-id", clientSecret: "a-secret" }), people()] })
    const app = express().use(withEnv({ NODE_ENV: "development" }, () => authMiddleware(config)))
    ;[browser, site] = await Promise.all([launch(), listen(createServer(app))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  it.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["in the dark, on a narrow window", { colorScheme: "dark", viewport: { width: 360, height: 780 } }],
  ])("can be read by everybody %s", async (_, look) => {
    const person = await newPerson(browser, { baseURL: site.origin, ...look })
    const page = await person.newPage()
    for (const [code, fail] of Object.entries(FAILURES)) {
      await fail(page)
      expect(await page.getByRole("complementary").textContent()).toContain(code)
      expect([code, await accessibilityProblems(page), await overflow(page)]).toEqual([code, [], 0])
    }
    expect(person.complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([])
    await person.context.close()
  })
})
