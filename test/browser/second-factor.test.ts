/** Users set up, use and lose the second factor without scripts; only passkeys need one. */
import { readFile } from "node:fs/promises"
import type { Browser, Page } from "playwright-core"
import { codeAt } from "../support/second-factor.js"
import { describeInChromium, launch } from "./support/chromium.js"
import { scanQrCode } from "./support/qr-code.js"
import {
  ADA,
  atHome,
  click,
  codeField,
  enterRecoveryCode,
  follow,
  SETTINGS,
  SecondFactorSite,
  signIn,
  signOut,
} from "./support/second-factor-site.js"
import { useVirtualAuthenticators } from "./support/virtual-authenticator.js"
import { heading } from "./support/visits.js"

describeInChromium("the second factor in a browser", () => {
  let browser: Browser
  let site: SecondFactorSite
  beforeAll(async () => {
    browser = await launch()
  })
  beforeEach(() => {
    site = new SecondFactorSite(browser)
  })
  afterEach(async () => expect(await site.close()).toEqual([]))
  afterAll(() => browser?.close())

  /** Expects that the field of the code has the focus, and is described by the message. */
  async function expectWrongCode(page: Page) {
    await page.getByRole("alert").waitFor()
    const field = codeField(page).and(page.locator(":focus"))
    const id = await field.getAttribute("aria-describedby")
    expect(await page.locator(`#${id}[role="alert"]`).textContent()).toMatch(/^This code isn't right/)
    expect(await field.getAttribute("aria-invalid")).toBe("true")
  }

  it("is set up by scanning the QR code, after a wrong code is reported", async () => {
    await site.start({ issuer: "The Shop" })
    const page = await site.newPage({
      javaScriptEnabled: false,
      colorScheme: "dark",
      viewport: { width: 320, height: 640 },
    })
    await signIn(page)
    await atHome(page)
    await page.goto(SETTINGS)
    await page.getByText("You have no second factor yet.").waitFor()
    await follow(page, "Set up an authenticator app")
    const key = new URL((await scanQrCode(page)) ?? "")
    const { issuer, secret, digits, period } = Object.fromEntries(key.searchParams)
    expect([decodeURIComponent(key.pathname), issuer]).toEqual([`/The Shop:${ADA}`, "The Shop"])
    expect([secret, digits ?? "6", period ?? "30"]).toEqual([expect.stringMatching(/^[A-Z2-7]{32}$/), "6", "30"])
    await page.getByText("Can't scan it?").click()
    expect(await page.locator(".secret").textContent()).toBe(secret)

    await codeField(page).fill("000000")
    await page.keyboard.press("Enter")
    await expectWrongCode(page)
    expect(await scanQrCode(page)).toBe(key.href)
    const { recoveryCodes } = await site.scan(page)
    expect(recoveryCodes).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(/^[A-Z\d]{5}-[A-Z\d]{5}$/)))
    await follow(page, "I have saved them")
    await atHome(page)
  })

  it("is set up in a sign-in that requires it, which returns to the requested page", async () => {
    await site.start({ required: () => true })
    const page = await site.newPage()
    await signIn(page, "/transfer")
    await page.getByText("This site asks for a second factor.").waitFor()
    await site.scan(page)
    await follow(page, "I have saved them")
    await heading(page, "Transfer")
    await click(page, "Send")
    await heading(page, "Sent")
  })

  it("ends a sign-in that the user cancels", async () => {
    await site.start({ required: () => true })
    const page = await site.newPage()
    await signIn(page)
    await follow(page, "Cancel")
    await heading(page, "Sign in")
    await page.goto("/")
    await heading(page, "Home of nobody")
  })

  it("offers the recovery codes as a text file", async () => {
    await site.start({ required: () => true })
    const page = await site.newPage()
    await signIn(page)
    const { recoveryCodes } = await site.scan(page)
    const [download] = await Promise.all([page.waitForEvent("download"), follow(page, "Download as text")])
    expect(download.suggestedFilename()).toBe("recovery-codes.txt")
    const text = await readFile(await download.path(), "utf8")
    expect(text.trim().split(/\n+/)).toEqual([new URL(site.origin).host, ...recoveryCodes])
    // The page is still there.
    await follow(page, "I have saved them")
    await atHome(page)
  })

  it("is asked for in the next sign-in, and reports a wrong code in its field", async () => {
    await site.start()
    const page = await site.newPage()
    const { secret } = await site.enrol(page)
    await signIn(page)
    await heading(page, "Second factor")
    await codeField(page).and(page.locator(":focus")).waitFor()
    await page.keyboard.type("000000")
    await page.keyboard.press("Enter")
    await expectWrongCode(page)
    await page.goto("/")
    await heading(page, "Home of nobody")
    await page.goBack()
    // Typed as apps show it, in two groups.
    await codeField(page).fill(codeAt(secret, site.time.now).replace(/(?<=^...)/, " "))
    await page.keyboard.press("Enter")
    await atHome(page)
  })

  it("accepts each recovery code once from a user who has lost the device", async () => {
    await site.start()
    const page = await site.newPage()
    const { recoveryCodes } = await site.enrol(page)
    const [code = ""] = recoveryCodes
    await signIn(page)
    await enterRecoveryCode(page, ` ${code.toLowerCase().replace("-", " ")} `)
    await atHome(page)
    await page.goto(SETTINGS)
    await page.getByText("Recovery codes left: 9").waitFor()
    await signOut(page)
    await signIn(page)
    await enterRecoveryCode(page, code)
    await page.getByText("This code isn't right").waitFor()
    await page.goto("/")
    await heading(page, "Home of nobody")
  })

  it("is not asked for in a trusted browser, until the user removes the trust", async () => {
    await site.start({ rememberDeviceDays: 30 })
    const page = await site.newPage()
    const { secret } = await site.enrol(page)
    await signIn(page)
    await page.getByLabel("Don't ask again in this browser for 30 days").check()
    await site.enterCode(page, secret)
    await atHome(page)
    await signOut(page)
    await signIn(page)
    await atHome(page)

    const other = await site.newPage()
    await signIn(other)
    await heading(other, "Second factor")

    await page.goto("/auth/sessions")
    await page.getByRole("heading", { name: "Trusted browsers" }).waitFor()
    await page.getByRole("listitem").filter({ hasText: "Trusted since" }).getByText("Chrome on Linux").waitFor()
    await click(page, "Remove")
    await heading(page, "Where you are signed in")
    expect(await page.getByRole("heading", { name: "Trusted browsers" }).count()).toBe(0)
    await signOut(page)
    await signIn(page)
    await heading(page, "Second factor")
  })

  it("opens a posted form again, whose page the user returns to", async () => {
    await site.start()
    const page = await site.newPage()
    const { secret } = await site.enrol(page)
    await signIn(page)
    await site.enterCode(page, secret)
    await atHome(page)
    site.time.now += 11 * 60_000
    await page.goto("/transfer?to=bob")
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === "POST"),
      click(page, "Send"),
    ])
    expect(response.status()).toBe(401)
    await heading(page, "Please confirm that it's you")
    await page.locator(".methods a").first().click()
    await heading(page, "Confirm that it's you")
    await follow(page, "Use your second factor")
    await site.enterCode(page, secret)
    await heading(page, "Transfer")
    expect(new URL(page.url()).search).toBe("?to=bob")
    await click(page, "Send")
    await heading(page, "Sent")
  })

  it("is managed on its page: new recovery codes, and turned off after a question", async () => {
    await site.start()
    const page = await site.newPage()
    const { secret, recoveryCodes } = await site.enrol(page)
    await signIn(page)
    await site.enterCode(page, secret)
    await atHome(page)
    await page.goto(SETTINGS)
    await click(page, "New recovery codes")
    await heading(page, "Your recovery codes")
    const renewed = await page.getByRole("listitem").allTextContents()
    expect([renewed.length, renewed.filter((code) => recoveryCodes.includes(code))]).toEqual([10, []])
    await follow(page, "I have saved them")
    await heading(page, "Your second factor")

    const confirm = page.getByRole("button", { name: "Turn off" })
    expect(await confirm.isVisible()).toBe(false)
    await page.locator("summary").click()
    await page.getByText("Do you want to turn your second factor off?").waitFor()
    await confirm.click()
    await page.getByText("You have no second factor yet.").waitFor()
    await signOut(page)
    await signIn(page)
    await atHome(page)
  })

  it("can be a passkey, which alone needs a script", async () => {
    await site.start({ required: () => true })
    const page = await site.newPage({})
    await (await useVirtualAuthenticators(page))()
    await signIn(page)
    const { secret } = await site.scan(page)
    await follow(page, "I have saved them")
    await atHome(page)
    await page.goto("/auth/passkeys")
    await click(page, "Add a passkey")
    await page.getByRole("listitem").waitFor()
    await signOut(page)
    await signIn(page)
    await click(page, "Confirm with a passkey")
    await atHome(page)

    const plain = await site.newPage()
    await signIn(plain)
    expect(await plain.locator("noscript p").textContent()).toMatch(/^Passkeys need JavaScript/)
    expect(await plain.getByRole("button", { name: "Confirm with a passkey" }).count()).toBe(0)
    await site.enterCode(plain, secret)
    await atHome(plain)
  })
})
