/** The form for a password and an email link, in Chromium. */
import { createServer } from "node:http"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import GitHub from "../../lib/providers/github.js"
import Passkey from "../../lib/providers/passkey.js"
import { TEST_SECRET } from "../support/apps.js"
import { type Listening, listen } from "../support/listen.js"
import { recordingLogger } from "../support/recording-logger.js"
import {
  accessibilityProblems,
  describeInChromium,
  launch,
  newPerson,
  overflow,
  type Person,
} from "./support/chromium.js"

const ADA = "ada@example.com"
const sent: string[] = []
const password = Credentials({
  credentials: {
    email: { label: "Email", type: "email", required: true },
    password: { label: "Password", type: "password", required: true },
  },
  authorize: (fields) => (fields.password === "right" ? { id: "7", name: "Ada", email: ADA } : null),
})
const email = {
  ...({ id: "mail", type: "email", name: "Mail" } as const),
  sendVerificationRequest: ({ identifier }: { identifier: string }) => void sent.push(identifier),
}
const providers = Array.from({ length: 10 }, (_, i) => ({
  ...GitHub({ clientId: "i", clientSecret: "s" }),
  ...{ id: `site-${i}`, name: `Site ${i}` },
}))

describeInChromium("the form for a password and an email", () => {
  let browser: Browser
  let site: Listening
  let person: Person

  beforeAll(async () => {
    const middleware = authMiddleware({
      ...{ secret: TEST_SECRET, trustHost: true, adapter: MemoryAdapter(), session: { strategy: "jwt" } },
      ...{ providers: [email, password, Passkey, ...providers], logger: recordingLogger().logger, rateLimit: false },
      theme: { siteName: "Acme" },
    })
    const server = createServer((req, res) => middleware(req, res, () => res.end("<title>Home</title>")))
    ;[browser, site] = await Promise.all([launch(), listen(server)])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))
  afterEach(() => person?.context.close())

  async function open(options: BrowserContextOptions = {}, path = "/auth/signin"): Promise<Page> {
    person = await newPerson(browser, { baseURL: site.origin, javaScriptEnabled: false, ...options })
    const page = await person.newPage()
    await page.goto(path)
    return page
  }

  it("signs in with Enter in the password field", async () => {
    const page = await open()
    await page.getByRole("textbox", { name: "Email" }).fill(ADA)
    await page.getByLabel("Password").fill("right")
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname === "/")
  })

  it("asks for the password after Enter in the email field", async () => {
    const page = await open()
    await page.getByRole("textbox", { name: "Email" }).fill(ADA)
    await page.keyboard.press("Enter")
    await page.locator("input[type=password]:focus").waitFor()
  })

  it("sends a link without a password", async () => {
    const page = await open()
    await page.getByRole("textbox", { name: "Email" }).fill(ADA)
    await page.getByRole("button", { name: "Email me a sign-in link" }).click()
    await page.getByRole("heading", { name: "Check your email" }).waitFor()
    expect(sent).toEqual([ADA])
  })

  it("keeps the address after a wrong password, which is reported beside its field", async () => {
    const page = await open()
    await page.getByRole("textbox", { name: "Email" }).fill(ADA)
    await page.getByLabel("Password").fill("wrong")
    await page.keyboard.press("Enter")
    await page.waitForURL(/CredentialsSignin/)
    expect(await page.getByRole("textbox", { name: "Email" }).inputValue()).toBe(ADA)
    expect(await page.getByLabel("Password").inputValue()).toBe("")
    await page.locator("input[type=password]:focus ~ [role=alert]").waitFor()
  })

  it.each([true, false])(
    "shows its first choice on a small phone without scrolling, with JavaScript: %s",
    async (javaScriptEnabled) => {
      const page = await open({ viewport: { width: 320, height: 568 }, javaScriptEnabled })
      const box = await page.getByRole("button", { name: "Sign in", exact: true }).boundingBox()
      expect(box && box.y + box.height).toBeLessThanOrEqual(568)
      expect(await overflow(page)).toBe(0)
    },
  )

  it("opens the other ways to sign in with the keyboard, and has no accessibility problems", async () => {
    const page = await open({ javaScriptEnabled: true })
    expect(await page.getByRole("button", { name: "Continue with Site 7" }).isVisible()).toBe(false)
    await page.getByText("Other ways to sign in").focus()
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Continue with Site 7" }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })

  it("shows signed-in users who they are, and keeps the upper edge of the card", async () => {
    const page = await open({ javaScriptEnabled: true })
    const top = (await page.locator(".card").boundingBox())?.y
    await page.getByRole("textbox", { name: "Email" }).fill(ADA)
    await page.getByLabel("Password").fill("right")
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname === "/")
    await page.goto("/auth/signin")
    await page.getByRole("link", { name: "Continue", exact: true }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    expect((await page.locator(".card").boundingBox())?.y).toBe(top)
    await page.getByRole("button", { name: "Switch user" }).click()
    await page.getByRole("button", { name: "Sign in Last used" }).waitFor()
  })
})
