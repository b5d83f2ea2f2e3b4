import { createServer } from "node:http"
import type { Browser } from "playwright-core"
import { authMiddleware } from "../../lib/index.js"
import type { ProviderObject } from "../../lib/provider-kit/provider.js"
import { TEST_SECRET } from "../support/apps.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson, overflow } from "./support/chromium.js"

/** Some of these providers have an icon. */
const NAMES = [
  ...["Google", "Apple", "Microsoft Entra ID", "Facebook", "GitHub"],
  ...["GitLab", "Okta", "Discord", "Auth0", "The long name of a company's own sign-in"],
]

const provider = (name: string): ProviderObject => ({
  ...{ id: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"), name, type: "oauth", clientId: "i", clientSecret: "s" },
  ...{ authorization: "https://id.test/a", token: "https://id.test/t", userinfo: "https://id.test/u" },
})

describeInChromium("a sign-in page with ten providers", () => {
  let browser: Browser
  let site: Listening

  beforeAll(async () => {
    const middleware = authMiddleware({ secret: TEST_SECRET, trustHost: true, providers: NAMES.map(provider) })
    const server = createServer((req, res) => middleware(req, res, () => res.writeHead(204).end()))
    ;[browser, site] = await Promise.all([launch(), listen(server)])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  it.each([
    { colorScheme: "light", width: 1000 },
    { colorScheme: "dark", width: 1000 },
    { colorScheme: "light", width: 320 },
    { colorScheme: "dark", width: 320, forcedColors: "active" },
  ] as const)(
    "is accessible and aligns its icons without additional requests: $colorScheme, $width pixels",
    async (look) => {
      const { width, ...media } = look
      const { context, complaints, newPage } = await newPerson(browser, { ...media, viewport: { width, height: 900 } })
      const requests: string[] = []
      context.on("request", (request) => requests.push(request.url()))
      const page = await newPage()
      await page.goto(`${site.origin}/auth/signin`)
      // The providers after the first five are collapsed.
      await page.locator("summary").click()
      expect({ problems: await accessibilityProblems(page), overflow: await overflow(page) }).toEqual({
        problems: [],
        overflow: 0,
      })
      // Icons do not change the accessible names of the buttons.
      for (const name of NAMES) await page.getByRole("button", { name: `Continue with ${name}`, exact: true }).waitFor()
      const boxes = await Promise.all((await page.locator(".mark").all()).map((mark) => mark.boundingBox()))
      const middles = boxes.map((box) => box && Math.round(box.x + box.width / 2))
      expect({ marks: middles.length, places: new Set(middles).size }).toEqual({ marks: NAMES.length, places: 1 })
      expect(await page.locator(".mark path").count()).toBeGreaterThan(5)
      await context.close()
      // The icons are part of the page.
      const ofPage = requests.filter((url) => !url.includes("/auth/assets/icon."))
      expect(ofPage).toEqual([`${site.origin}/auth/signin`, expect.stringContaining("/auth/assets/styles.")])
      expect(complaints).toEqual([])
    },
  )
})
