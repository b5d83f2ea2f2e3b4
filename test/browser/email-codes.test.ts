/** Users enter the code of an email on the page "Check your email". */
import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import { mailbox } from "../../lib/testing.js"
import { configOf } from "../express/support/servers.js"
import { RESEND_MS, wrongCode } from "../flows/support/mail.js"
import { type Listening, listen } from "../support/listen.js"
import { accessibilityProblems, describeInChromium, launch, newPerson, overflow } from "./support/chromium.js"

const ADA = "ada@example.com"
const LONG = `${"a-very-long-name.".repeat(3)}ada@mail.a-long-department.example.com`
const NARROW = { width: 360, height: 700 }

describeInChromium("the page Check your email", () => {
  const inbox = mailbox()
  const time = { now: Date.now() }
  let browser: Browser
  let site: Listening
  beforeAll(async () => {
    const config = configOf({
      providers: [inbox.provider],
      adapter: MemoryAdapter(),
      rateLimit: false,
      clock: () => time.now,
    })
    const app = express().use(authMiddleware(config))
    app.get("/", (_req, res) => res.send("<!doctype html><title>Home</title>"))
    ;[browser, site] = await Promise.all([launch(), listen(createServer(app))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))

  /** Requests an email with the form of the sign-in page. */
  async function request(address = ADA, options: BrowserContextOptions = {}): Promise<Page> {
    const person = await newPerson(browser, { baseURL: site.origin, locale: "en", viewport: NARROW, ...options })
    const page = await person.newPage()
    await page.goto("/auth/signin")
    await page.locator('input[name="email"]').fill(address)
    await page.keyboard.press("Enter")
    await page.waitForURL(/verify-request/)
    return page
  }

  /** Ends the delay of 30 seconds. */
  const finishDelay = (page: Page) => page.evaluate("document.getAnimations().forEach((one) => one.finish())")

  const resend = (page: Page) => page.getByRole("button", { name: "Send again" })

  it.each([true, false])(
    "signs in with a typed code, after a wrong one is reported (JavaScript: %s)",
    async (javaScriptEnabled) => {
      const page = await request(ADA, { javaScriptEnabled })
      const code = await inbox.code(ADA)
      const field = page.getByLabel("Code from the email")
      await field.and(page.locator(":focus")).waitFor()
      expect(await page.locator(".lead").textContent()).toContain(ADA)
      await page.keyboard.type(wrongCode(code).toLowerCase())
      await page.keyboard.press("Enter")
      await page.waitForURL(/EmailCode/)
      await field.and(page.locator(":focus")).waitFor()
      expect(await field.getAttribute("aria-invalid")).toBe("true")
      const id = await field.getAttribute("aria-describedby")
      expect(await page.locator(`#${id}[role="alert"]`).textContent()).toMatch(/^This code isn't right/)
      await page.keyboard.type(code.toLowerCase().replace("-", " "))
      await page.keyboard.press("Enter")
      await page.waitForURL((url) => url.pathname === "/")
      await page.context().close()
    },
  )

  it("has a field that browsers can fill in, and into which any spelling of the code fits", async () => {
    const page = await request()
    const code = await inbox.code(ADA)
    const field = page.getByLabel("Code from the email")
    const attributes = ["autocomplete", "inputmode", "autocapitalize", "spellcheck"]
    expect(await Promise.all(attributes.map((name) => field.getAttribute(name)))).toEqual([
      ...["one-time-code", "text", "characters", "false"],
    ])
    const spaced = ` ${[...code.replace("-", "")].join(" ")} `
    await field.focus()
    await page.keyboard.insertText(spaced)
    expect(await field.inputValue()).toBe(spaced)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL((url) => url.pathname === "/")
    await page.context().close()
  })

  it("has its controls in reading order for the keyboard", async () => {
    const page = await request("ada@gmail.com")
    await page.getByLabel("Code from the email").and(page.locator(":focus")).waitFor()
    await finishDelay(page)
    const focused = () =>
      page.evaluate(`(({ labels, innerText }) => labels?.[0]?.innerText ?? innerText)(document.activeElement)`)
    const order = [await focused()]
    for (const key of ["Tab", "Tab", "Tab"]) {
      await page.keyboard.press(key)
      order.push(await focused())
    }
    expect(order).toEqual(["Code from the email", "Sign in", "Send again", "Wrong address?"])
    for (let back = 0; back < 4; back++) await page.keyboard.press("Shift+Tab")
    expect(await focused()).toBe("Open Gmail")
    await page.context().close()
  })

  it("offers to send the email again after 30 seconds, to the same address", async () => {
    const page = await request()
    const first = await inbox.code(ADA)
    expect(await resend(page).isVisible()).toBe(false)
    const script = "document.getAnimations().map(({ effect }) => effect.getComputedTiming().delay)"
    expect(await page.evaluate(script)).toEqual([30_000])
    await finishDelay(page)
    time.now += RESEND_MS
    await resend(page).click()
    const second = await inbox.code(ADA)
    expect(second).not.toBe(first)
    await page.getByLabel("Code from the email").fill(second)
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname === "/")
    await page.context().close()
  })

  it("offers it at once on a page that is loaded later, also when the code no longer works", async () => {
    const page = await request()
    time.now += RESEND_MS
    await page.reload()
    expect(await resend(page).isVisible()).toBe(true)
    await page.goto(`${page.url()}&error=EmailCodeExpired`)
    expect(await resend(page).isVisible()).toBe(true)
    expect(await page.getByLabel("Code from the email").count()).toBe(0)
    await page.context().close()
  })

  it("leads back to the sign-in page if the address is wrong", async () => {
    const page = await request()
    await page.getByRole("link", { name: "Wrong address?" }).click()
    await page.waitForURL(/signin/)
    await page.context().close()
  })

  it.each<[string, BrowserContextOptions]>([
    ["on a phone", { colorScheme: "light" }],
    ["on a phone in dark mode", { colorScheme: "dark" }],
    ["on a wide screen", { colorScheme: "light", viewport: { width: 1000, height: 800 } }],
    ["with forced colours", { colorScheme: "dark", forcedColors: "active" }],
    ["at 320 pixels", { viewport: { width: 320, height: 700 } }],
    ["from right to left", { locale: "ar" }],
    ["in German", { locale: "de", viewport: { width: 320, height: 700 } }],
  ])("is accessible and does not overflow %s, also with an error", async (name, options) => {
    const page = await request(LONG, options)
    for (const error of ["", "EmailCode", "EmailCodeExpired"]) {
      await page.goto(`/auth/verify-request?error=${error}`)
      expect([error, await accessibilityProblems(page)]).toEqual([error, []])
      await finishDelay(page)
      const result = { error, problems: await accessibilityProblems(page), overflow: await overflow(page) }
      expect(result).toEqual({ error, problems: [], overflow: 0 })
      if (process.env["SCREENSHOTS"])
        await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/code-${name.replaceAll(" ", "-")}-${error}.png` })
    }
    await page.context().close()
  })
})
