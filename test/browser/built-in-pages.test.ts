import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { isThorough } from "../support/apps.js"
import type { Listening } from "../support/listen.js"
import { PATHS, startBuiltInPages } from "./support/built-in-pages.js"
import {
  accessibilityProblems,
  describeInChromium,
  launch,
  newPerson,
  overflow,
  type Person,
} from "./support/chromium.js"

/** The label of a control, without the initial that replaces a missing icon. */
const labelOf = (text: string) => text.trim().split("\n").at(-1)

/** Brand colours in every notation, including some that have poor contrast in light or dark mode. */
const COLORS = ["#fff", "#000", "#ffd700", "#777", "hsl(210 90% 60%)", "oklch(75% 0.2 140)", "navy"]
/** The axe rules that depend on colours. The nightly run checks all rules. */
const COLOR_RULES = isThorough ? undefined : ["color-contrast", "link-in-text-block"]
const themed = COLORS.map((brandColor, index) => [`/brand${index}`, { theme: { brandColor } }] as const)

const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

/** The relative luminance of WCAG 2.2. */
function hexLuminance(hex: string): number {
  const channels = (hex.match(/[\da-f]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const NARROW = { width: 360, height: 700 }
const WIDE = { width: 1000, height: 700 }

describeInChromium("built-in pages in a browser", () => {
  let browser: Browser
  let site: Listening
  let person: Person
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([launch(), startBuiltInPages(Object.fromEntries(themed))])
  })
  afterAll(() => Promise.all([browser?.close(), site?.close()]))
  afterEach(async () => {
    await person?.context.close()
    // Chromium logs the page's own error status as a console error.
    expect(person?.complaints.filter((text) => !/status of (?:400|401|403|500)/.test(text))).toEqual([])
  })

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    person = await newPerson(browser, { baseURL: site.origin, ...options })
    return person.newPage()
  }

  /** Opens a page, waits until its script has run, and opens all its details. */
  async function visit(page: Page, path: string) {
    await page.goto(path)
    const script = page.locator("form[data-passkey]")
    if ((await script.count()) > 0) await script.first().waitFor()
    for (const summary of await page.locator("summary").all()) await summary.click()
  }

  it.each<[string, BrowserContextOptions, readonly string[] | undefined]>([
    ["in light mode at 360 pixels", { colorScheme: "light", viewport: NARROW }, undefined],
    ["in light mode at 1000 pixels", { colorScheme: "light", viewport: WIDE }, undefined],
    ["in dark mode at 360 pixels", { colorScheme: "dark", viewport: NARROW }, COLOR_RULES],
    ["in dark mode at 1000 pixels", { colorScheme: "dark", viewport: WIDE }, COLOR_RULES],
    ["with forced colours", { colorScheme: "dark", forcedColors: "active" }, COLOR_RULES],
    ["with more contrast", { colorScheme: "light", contrast: "more" }, COLOR_RULES],
  ])("are accessible and do not overflow %s", async (_, look, rules) => {
    const page = await open(look)
    for (const path of PATHS) {
      await visit(page, path)
      const result = { path, problems: await accessibilityProblems(page, rules), overflow: await overflow(page) }
      expect(result).toEqual({ path, problems: [], overflow: 0 })
    }
  })

  it("show errors with their own icon in the alert colour", async () => {
    const page = await open()
    const iconAt = async (path: string) => {
      await page.goto(path)
      const color = await page.evaluate(`getComputedStyle(document.querySelector(".icon")).color`)
      return [await page.locator(".icon").innerHTML(), color]
    }
    const [drawing, color] = await iconAt("/all/error?error=AccessDenied")
    const [neutralDrawing, neutralColor] = await iconAt("/all/verify-request")
    expect([drawing === neutralDrawing, color === neutralColor, color]).toEqual([false, false, "rgb(163, 22, 22)"])
  })

  it.each(["light", "dark"] as const)("have readable text in %s mode with any brand colour", async (colorScheme) => {
    const page = await open({ colorScheme })
    for (const [path, { theme }] of themed)
      for (const name of ["signout", "verify-request"]) {
        await page.goto(`${path}/${name}`)
        const result = {
          color: theme.brandColor,
          name,
          problems: await accessibilityProblems(page, ["color-contrast"]),
        }
        expect(result).toEqual({ color: theme.brandColor, name, problems: [] })
        if (name === "verify-request") continue
        await page.locator(".primary").hover()
        await page.waitForTimeout(150)
        expect(await accessibilityProblems(page, ["color-contrast"])).toEqual([])
      }
  })

  it.each([
    ["light", ["#ffffff", "#f5f5f7", "#fef2f2"]],
    ["dark", ["#09090b", "#18181b", "#242428"]],
  ] as const)("derive a readable link colour on %s surfaces from any brand colour", async (colorScheme, surfaces) => {
    const page = await open({ colorScheme })
    await page.goto("/brand0/signout")
    const steps = [0, 51, 102, 128, 153, 204, 255]
    const rgb = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `rgb(${red} ${green} ${blue})`)))
    const brands = [...rgb, ...COLORS]
    const script = `${JSON.stringify(brands)}.map((brand) => {
      const { style } = document.documentElement
      style.setProperty("--brand-color", brand)
      document.body.style.color = "var(--accent)"
      return getComputedStyle(document.body).color
    })`
    const colors = await page.evaluate<string[]>(script)
    const unreadable = colors.flatMap((color, index) => {
      // In CIE XYZ, the second component is the luminance.
      const luminance = Number(/^color\(xyz-d65 \S+ (\S+) /.exec(color)?.[1])
      const isReadable = surfaces.every((surface) => contrast(luminance, hexLuminance(surface)) >= 4.5)
      return isReadable ? [] : [`${brands[index]}: ${color}`]
    })
    expect(unreadable).toEqual([])
  })

  it.each([
    ["at 320 pixels", { width: 320, locale: "en" }],
    ["at 320 pixels from right to left", { width: 320, locale: "ar" }],
    ["from right to left", { width: 1280, locale: "ar" }],
    ["at 640 pixels with a text size of 200 %", { width: 640, locale: "de", fontSize: "200%" }],
  ])(
    "do not overflow %s",
    async (_, { width, locale, fontSize = "" }: { width: number; locale: string; fontSize?: string }) => {
      const page = await open({ locale, viewport: { width, height: 700 } })
      for (const path of PATHS) {
        await visit(page, path)
        await page.evaluate(`document.documentElement.style.fontSize = ${JSON.stringify(fontSize)}`)
        const lang = await page.locator("html").getAttribute("lang")
        expect({ path, lang, overflow: await overflow(page) }).toEqual({ path, lang: locale, overflow: 0 })
      }
    },
  )

  it("do not overflow at 200 % zoom", async () => {
    const page = await open({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 })
    for (const path of PATHS) {
      await visit(page, path)
      expect([path, await overflow(page)]).toEqual([path, 0])
    }
  })

  /** The text or label of the focused element. */
  const focused = async (page: Page) =>
    labelOf(
      String(
        await page.evaluate(`(({ labels, innerText }) => labels?.[0]?.innerText ?? innerText)(document.activeElement)`),
      ),
    )

  it("receive the keyboard focus in reading order", async () => {
    const page = await open()
    await page.goto("/all/signin")
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor()
    await page.locator("input:focus").waitFor()
    const order = [await focused(page)]
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press("Tab")
      order.push(await focused(page))
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
      expect([order.at(-1), outline]).toEqual([order.at(-1), "solid"])
    }
    expect(order).toEqual([
      ...["Email or user name", "Password", "Remember me", "Sign in", "Email me a sign-in link"],
      ...["Sign in with a passkey", "Continue with GitHub", "Continue with The company's own sign-in"],
      "Create a passkey",
    ])
  })

  it.each([
    ["/all/error?error=Verification", ["Try again", "Go to 127.0.0.1"]],
    ["/all/error?error=SessionRequired", ["Sign in", "Go to 127.0.0.1"]],
    ["/all/verify-request", ["ask for a new link", "Go to 127.0.0.1"]],
    ["/passkeys", ["Rename", "Rename", "Remove", "Add a passkey", "Where you are signed in", "Go to app.test"]],
  ])("receive the keyboard focus in reading order, with names: %s", async (path, expected) => {
    const page = await open()
    await page.goto(path)
    if (path === "/passkeys") await page.getByRole("button", { name: "Add a passkey" }).waitFor()
    const order: (string | undefined)[] = []
    for (const _ of expected) {
      await page.keyboard.press("Tab")
      order.push((await focused(page))?.replace(/:\d+$/, ""))
    }
    expect(order).toEqual(expected)
  })

  it.each([
    ["with JavaScript", true],
    ["without JavaScript", false],
  ])("sign in with the keyboard alone %s, after a wrong password is reported", async (_, javaScriptEnabled) => {
    const page = await open({ javaScriptEnabled })
    await page.goto("/password/signin?callbackUrl=/password/signout")
    await page.locator("input:focus").waitFor()
    await page.keyboard.type("ada")
    await page.keyboard.press("Tab")
    await page.keyboard.type("wrong")
    await page.keyboard.press("Enter")
    await page.waitForURL(/CredentialsSignin/)
    // The user name is still there, the cursor is in the empty field, and screen readers read the error with it.
    const password = page.getByLabel("Password")
    await password.and(page.locator(":focus")).waitFor()
    expect(await page.getByLabel("User name").inputValue()).toBe("ada")
    expect(await password.getAttribute("aria-invalid")).toBe("true")
    const id = await password.getAttribute("aria-describedby")
    expect(await page.locator(`#${id}[role="alert"]`).textContent()).toMatch(/check them and try again/)
    await page.keyboard.type("right")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Sign out" }).waitFor()
  })

  it("have their style and all methods except passkeys without JavaScript", async () => {
    const page = await open({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
    await page.goto("/all/signin")
    expect((await page.locator(".card").boundingBox())?.width).toBeLessThan(500)
    expect(await page.locator("noscript p").textContent()).toMatch(/^Passkeys need JavaScript/)
    expect((await page.getByRole("button").allInnerTexts()).map(labelOf)).toEqual([
      ...["Sign in", "Email me a sign-in link", "Continue with GitHub", "Continue with The company's own sign-in"],
    ])
  })
})
