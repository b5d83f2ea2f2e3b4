/** The layout of the pages of the second factor. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import type { Listening } from "../support/listen.js"
import { startBuiltInPages } from "./support/built-in-pages.js"
import { describeInChromium, launch, newPerson, overflow, type Person } from "./support/chromium.js"
import { scanQrCode } from "./support/qr-code.js"

const PATHS = [
  ...["/second-factor-refused", "/second-factor-passkey", "/second-factor-setup", "/recovery-codes"],
  ...["/second-factor-settings", "/second-factor-settings-off"],
]
const LANGUAGES = "ar de en es fr hi it ja ko nl pl pt tr zh".split(" ")
/** These languages break lines between any two characters. */
const WITHOUT_SPACES = ["ja", "ko", "zh"]
const PHONE = { width: 320, height: 640 }
const WIDE = { width: 1280, height: 900 }

/** Lists the words of the headings that are broken, except at a hyphen. */
const BROKEN_WORDS = `[...document.querySelectorAll("h1, h2")].flatMap(({ firstChild: text }) => {
  const topOf = (index) => {
    const range = document.createRange()
    range.setStart(text, index)
    range.setEnd(text, index + 1)
    return [...range.getClientRects()].at(-1).top
  }
  const words = [...text.data.matchAll(/[^\\s\\u00ad-]+/g)]
  return words.flatMap(({ 0: word, index }) => topOf(index) < topOf(index + word.length - 1) ? [word] : [])
})`

/** The horizontal middle of an element, rounded. */
async function middleOf(page: Page, selector: string): Promise<number> {
  const { x = 0, width = 0 } = (await page.locator(selector).boundingBox()) ?? {}
  return Math.round(x + width / 2)
}

describeInChromium("pages of the second factor", () => {
  let browser: Browser
  let site: Listening
  let person: Person
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([launch(), startBuiltInPages()])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))
  afterEach(async () => {
    await person.context.close()
    expect(person.complaints).toEqual([])
  })

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    person = await newPerson(browser, { baseURL: site.origin, locale: "en", ...options })
    const page = await person.newPage()
    await page.goto(path)
    return page
  }

  it.each(LANGUAGES)("fit on a phone and break no word of a heading in the language %s", async (locale) => {
    const page = await open("/recovery-codes", { locale, viewport: PHONE })
    for (const path of PATHS) {
      await page.goto(path)
      for (const summary of await page.locator("summary").all()) await summary.click()
      const broken = WITHOUT_SPACES.includes(locale) ? [] : await page.evaluate(BROKEN_WORDS)
      expect([path, broken, await overflow(page)]).toEqual([path, [], 0])
    }
  })

  it.each([
    ["on a phone", PHONE],
    ["on a wide screen", WIDE],
  ])("show the recovery codes in two columns %s", async (_, viewport) => {
    const page = await open("/recovery-codes", { viewport })
    const boxes = await Promise.all((await page.locator(".codes code").all()).map((code) => code.boundingBox()))
    expect([boxes.length, new Set(boxes.map((box) => box?.x)).size]).toEqual([10, 2])
    // No code is broken.
    expect(new Set(boxes.map((box) => box?.height)).size).toBe(1)
  })

  it.each<[string, BrowserContextOptions]>([
    ["on a phone in light mode", { colorScheme: "light", viewport: PHONE }],
    ["on a wide screen in dark mode", { colorScheme: "dark", viewport: WIDE }],
    ["with forced colours", { colorScheme: "dark", forcedColors: "active" }],
    ["with more contrast", { contrast: "more" }],
  ])("show a QR code that can be scanned %s, also with a long address", async (_, options) => {
    const page = await open("/second-factor-setup", options)
    expect(await scanQrCode(page)).toMatch(/^otpauth:\/\/totp\/app\.test:ada\?secret=[A-Z2-7]{32}&/)
    await page.goto("/second-factor-setup-refused")
    expect(await scanQrCode(page)).toContain("a-long-department.example.com")
  })

  it("show the key in two centred lines of four groups, and copy it without spaces", async () => {
    const page = await open("/second-factor-setup", { viewport: PHONE })
    await page.getByText("Can't scan it?").click()
    const groups = await Promise.all((await page.locator(".secret span").all()).map((group) => group.boundingBox()))
    expect([groups.length, new Set(groups.map((box) => box?.y)).size]).toEqual([8, 2])
    await page.locator(".secret").click()
    expect(await page.evaluate("getSelection().toString()")).toBe("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    for (const selector of [".qr-code", "summary", ".secret"])
      expect([selector, await middleOf(page, selector)]).toEqual([selector, PHONE.width / 2])
  })

  it("show the form for a recovery code like that of the app", async () => {
    const page = await open("/second-factor", { locale: "de", viewport: PHONE })
    await page.locator("summary").click()
    const styles = await Promise.all(
      ["code", "recoveryCode"].map((name) =>
        page.evaluate(`(({ font, letterSpacing, textTransform, direction }) =>
          [font, letterSpacing, textTransform, direction])(getComputedStyle(document.querySelector("[name=${name}]")))`),
      ),
    )
    expect(styles[1]).toEqual(styles[0])
    // The summary has two lines here.
    expect(await page.evaluate("getComputedStyle(document.querySelector('summary')).textAlign")).toBe("center")
  })

  it.each(["/second-factor", "/second-factor-settings", "/sessions"])(
    "have the same space between a summary and its form at %s",
    async (path) => {
      const page = await open(path, { viewport: PHONE })
      await page.locator("summary").click()
      const { y = 0, height = 0 } = (await page.locator("summary").boundingBox()) ?? {}
      const first = await page.locator("details form > :not([type=hidden])").first().boundingBox()
      expect(first?.y).toBeCloseTo(y + height + 12)
    },
  )

  it.each([
    ["of one line", "/ask/signin", WIDE],
    ["of two lines", "/second-factor", PHONE],
  ])("align a checkbox with the first line of a label %s", async (_, path, viewport) => {
    const page = await open(path, { viewport })
    const [text, box] = (await page.evaluate(`(() => {
      const input = document.querySelector("[type=checkbox]")
      const range = document.createRange()
      range.selectNodeContents(input.labels[0])
      const middle = ({ top, bottom }) => (top + bottom) / 2
      return [middle(range.getClientRects()[0]), middle(input.getBoundingClientRect())]
    })()`)) as [number, number]
    expect(Math.abs(text - box)).toBeLessThanOrEqual(1)
  })

  it.each(["auto", "dark"])(
    "print the recovery codes in black with the site's name, colour scheme %s",
    async (scheme) => {
      const page = await open("/recovery-codes", { colorScheme: "dark", viewport: WIDE })
      await page.evaluate(`document.documentElement.dataset.colorScheme = "${scheme}"`)
      expect(await page.getByText("app.test", { exact: true }).isVisible()).toBe(false)
      await page.emulateMedia({ media: "print" })
      const visible = "[...document.querySelectorAll('.card *')].filter((one) => one.checkVisibility())"
      const colors = `[...new Set(${visible}.map((one) => getComputedStyle(one).color))]`
      expect(await page.evaluate(colors)).toEqual(["rgb(0, 0, 0)"])
      const texts = await page.locator(":is(h1, p, li, a):visible").allInnerTexts()
      expect([texts.length, ...texts.slice(0, 2)]).toEqual([13, "Your recovery codes", "app.test"])
      const pages = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g)
      expect(pages).toHaveLength(1)
    },
  )
})
