import { writeFile } from "node:fs/promises"
import type { Browser, Page } from "playwright-core"
import { createEmails } from "../../lib/pages/mail.js"
import { createLanguages } from "../../lib/pages/texts.js"
import type { Theme } from "../../lib/types.js"
import { accessibilityProblems, describeInChromium, launch, newPerson, overflow } from "./support/chromium.js"

const FACTS = {
  url: `https://app.example.com/auth/callback/resend?callbackUrl=%2F&token=${"0f".repeat(32)}&email=ada%40example.net`,
  host: "app.example.com",
  expires: new Date(),
  maxAgeSeconds: 86_400,
  code: "CDFH-J479",
  codeMaxAgeSeconds: 600,
}

const [english, arabic] = [createLanguages({}).for("en"), createLanguages({}).for("ar")]

/** Saves a screenshot for manual review if MAIL_SCREENSHOTS=<folder> is set. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["MAIL_SCREENSHOTS"]
  if (folder) await writeFile(`${folder}/${name}.png`, await page.screenshot({ fullPage: true }))
}

describeInChromium("sign-in email in a browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  async function show(html: string, colorScheme: "light" | "dark", width: number) {
    const person = await newPerson(browser, { colorScheme, viewport: { width, height: 700 } })
    const page = await person.newPage()
    const requests: string[] = []
    page.on("request", (request) => requests.push(request.url()))
    await page.setContent(html)
    return { page, requests, ...person }
  }

  it.each<{ colorScheme: "light" | "dark"; width: number; theme: Theme }>([
    { colorScheme: "light", width: 1000, theme: {} },
    { colorScheme: "dark", width: 1000, theme: { brandColor: "#1d3557" } },
    { colorScheme: "light", width: 320, theme: { brandColor: "#ffd700" } },
    { colorScheme: "dark", width: 320, theme: {} },
  ])(
    "is accessible and loads nothing in $colorScheme mode at $width pixels with the theme $theme",
    async ({ colorScheme, width, theme }) => {
      const { page, requests, complaints, context } = await show(
        createEmails({ theme }).signIn(FACTS, english).html,
        colorScheme,
        width,
      )
      await saveScreenshot(page, `${colorScheme}-${width}`)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await overflow(page)).toBe(0)
      expect([requests, complaints]).toEqual([[], []])
      await context.close()
    },
  )

  it.each([
    ["light", "rgb(255, 255, 255)", "rgb(0, 0, 0)"],
    ["dark", "rgb(18, 18, 18)", "rgb(255, 255, 255)"],
  ] as const)("uses the text and background colours of %s mode", async (colorScheme, background, color) => {
    const { page, context } = await show(createEmails({}).signIn(FACTS, english).html, colorScheme, 600)
    const read =
      "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('main')))"
    expect(await page.evaluate(read)).toEqual([background, color])
    await context.close()
  })

  it("has a button with the link, and the link as text", async () => {
    const { page, context } = await show(createEmails({}).signIn(FACTS, english).html, "light", 600)
    expect(await page.getByRole("link", { name: "Sign in", exact: true }).getAttribute("href")).toBe(FACTS.url)
    expect(await page.getByRole("link", { name: FACTS.url }).getAttribute("href")).toBe(FACTS.url)
    await context.close()
  })

  it.each([1000, 320])("is laid out from right to left for a right-to-left language at %i pixels", async (width) => {
    const { page, context } = await show(createEmails({}).signIn(FACTS, arabic).html, "light", width)
    await saveScreenshot(page, `rtl-${width}`)
    const ends =
      "(e) => { const { left, right } = e.getBoundingClientRect(); return [Math.round(left), Math.round(right)] }"
    const [button, text] = await Promise.all([
      page.evaluate(`(${ends})(document.querySelector("a").closest("table"))`),
      page.evaluate(`(${ends})(document.querySelector("h1"))`),
    ])
    // Both start at the right edge.
    expect((button as number[])[1]).toBe((text as number[])[1])
    expect((button as number[])[0]).toBeGreaterThan((text as [number])[0])
    expect(await page.evaluate("getComputedStyle(document.querySelector('p[dir=ltr]')).direction")).toBe("ltr")
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await overflow(page)).toBe(0)
    await context.close()
  })
})
