import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { accessibilityProblems, describeInChromium, launch, newPerson, type Person } from "./support/chromium.js"
import { type PasskeySite, startPasskeySite } from "./support/passkey-site.js"
import { useVirtualAuthenticators, type VirtualAuthenticator } from "./support/virtual-authenticator.js"

const SCRIPT = join(__dirname, "../../views/passkeys.js")

it("views/passkeys.js is small and contains the licence of its dependency", () => {
  expect(statSync(SCRIPT).size).toBeLessThan(12_000)
  expect(readFileSync(SCRIPT, "utf8")).toMatch(/^\/\*! latchkey.*Copyright \(c\) \d+ Matthew Miller.*Permission is/s)
})

describeInChromium("passkeys script", () => {
  let browser: Browser
  let person: Person | undefined
  let site: PasskeySite
  let page: Page
  let authenticator: VirtualAuthenticator

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    const complaints = person?.complaints
    await Promise.all([person?.context.close(), site?.close()])
    expect(complaints).toEqual([])
  })

  /** Opens a site; `hasField` adds a field in which the browser may offer passkeys. */
  async function openSite(hasField: boolean, options: BrowserContextOptions = {}) {
    site = await startPasskeySite({ hasField })
    person = await newPerson(browser, { baseURL: site.origin, ...options })
    page = await person.newPage()
    authenticator = await (await useVirtualAuthenticators(page))()
  }
  async function openPage(hasField: boolean) {
    await openSite(hasField)
    await page.goto("/")
  }

  const signInButton = () => page.getByRole("button", { name: "Sign in with a passkey" })
  const createButton = () => page.getByRole("button", { name: "Create a passkey" })
  const alert = () => page.getByRole("alert")
  const signedIn = () => page.waitForURL("**/me")
  const waitForRequests = (count: number) => waitFor(() => site.optionRequests.length >= count)
  /** Long enough to detect an unwanted request. */
  const pause = () => page.waitForTimeout(300)

  async function waitFor(isDone: () => boolean) {
    for (let tries = 0; !isDone() && tries < 100; tries++) await page.waitForTimeout(20)
    expect(isDone()).toBe(true)
  }

  async function create() {
    await page.locator("summary").click()
    await page.getByLabel("Email").fill("ada@example.com")
    await createButton().click()
  }
  /**
   * Registers a passkey, signs in and returns to the page, with the offer in the field still open. The authenticator
   * checks for
   * a touch when a request starts, so a later touch applies to later requests.
   */
  async function comeBackWithPasskey() {
    await create()
    await signedIn()
    await authenticator.setTouched(false)
    for (const list of [site.optionRequests, site.sent]) list.length = 0
    await page.goto("/")
    await waitForRequests(1)
    await pause()
  }

  it("registers a passkey with the entered fields, and signs in with it", async () => {
    await openPage(false)
    await create()
    await signedIn()
    expect(site.optionRequests).toEqual(["?action=register&email=ada%40example.com"])
    const [{ fields, isValid } = { fields: {}, isValid: false }] = site.sent
    expect({ ...fields, isValid }).toMatchObject({
      action: "register",
      csrfToken: "a-token",
      callbackUrl: "/me",
      isValid: true,
    })
    await page.goto("/")
    await signInButton().click()
    await signedIn()
    expect(site.optionRequests[1]).toBe("?action=authenticate")
    expect(site.sent[1]).toMatchObject({ fields: { action: "authenticate", callbackUrl: "/me" }, isValid: true })
  })

  it("validates the form first, and keeps passwords out of the URL", async () => {
    await openPage(false)
    await page.locator("summary").click()
    await createButton().click()
    await pause()
    expect(site.optionRequests).toEqual([])
    const pin = `document.querySelector('[name=email]').insertAdjacentHTML('afterend', '<input type=password name=pin value=1234>')`
    await page.evaluate(pin)
    await page.getByLabel("Email").fill("ada@example.com")
    await createButton().click()
    await signedIn()
    expect(site.optionRequests).toEqual(["?action=register&email=ada%40example.com"])
    expect(site.sent[0]?.fields).toMatchObject({ pin: "1234" })
  })

  describe("with a field for passkeys", () => {
    it("offers passkeys automatically and signs in with the chosen one", async () => {
      await openPage(true)
      await create()
      await signedIn()
      for (const list of [site.optionRequests, site.sent]) list.length = 0
      await page.goto("/")
      await signedIn()
      expect(site.optionRequests).toEqual(["?action=authenticate"])
      expect(site.sent).toMatchObject([{ isValid: true }])
    })

    it("offers none if the page has no such field or the browser lacks support", async () => {
      await openPage(false)
      await pause()
      expect(site.optionRequests).toEqual([])
      await person?.context.close()
      await site.close()
      await openSite(true)
      await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
      await page.goto("/")
      await signInButton().waitFor()
      await pause()
      expect(site.optionRequests).toEqual([])
    })

    it("aborts the offer when the button is used", async () => {
      await openPage(true)
      await comeBackWithPasskey()
      await authenticator.setTouched(true)
      await signInButton().click()
      await signedIn()
      expect(site.optionRequests).toHaveLength(2)
      expect(site.sent).toMatchObject([{ isValid: true }])
    })

    it("renews the offer once after a cancelled request at the button", async () => {
      await openPage(true)
      await comeBackWithPasskey()
      await authenticator.setVerified(false)
      await authenticator.setTouched(true)
      await signInButton().click()
      await alert().getByText("No passkey was used").waitFor()
      await waitForRequests(3)
      await pause()
      expect(site.optionRequests).toHaveLength(3)
      expect(site.sent).toEqual([])
    })

    it("renews the challenge before it expires", async () => {
      await openSite(true)
      await page.clock.install()
      await page.goto("/")
      await comeBackWithPasskey()
      await authenticator.setTouched(true)
      await page.clock.fastForward("09:00")
      await pause()
      expect(site.optionRequests).toHaveLength(1)
      await page.clock.fastForward("02:00")
      await signedIn()
      expect(site.optionRequests).toHaveLength(2)
      expect(site.sent).toMatchObject([{ isValid: true }])
    })
  })

  it("handles a double click once and marks the form as busy", async () => {
    await openPage(false)
    await create()
    await signedIn()
    await page.goto("/")
    const open = site.hold()
    await signInButton().dblclick()
    const form = page.locator('form[data-passkey="sign-in"]')
    expect(await signInButton().isDisabled()).toBe(true)
    expect(await form.getAttribute("aria-busy")).toBe("true")
    await page.evaluate("document.querySelector('form').requestSubmit()")
    open()
    await signedIn()
    expect(site.optionRequests.filter((query) => query.includes("authenticate"))).toHaveLength(1)
    expect(site.sent).toHaveLength(2)
  })

  it("reports a cancelled request, keeps the focus, and allows another attempt", async () => {
    await openPage(false)
    await create()
    await signedIn()
    await page.goto("/")
    await authenticator.setVerified(false)
    await signInButton().focus()
    await page.keyboard.press("Enter")
    await alert().getByText("No passkey was used").waitFor()
    expect(await page.evaluate("document.activeElement.innerText.trim()")).toBe("Sign in with a passkey")
    expect(await page.locator("form").first().getAttribute("aria-busy")).toBe("false")
    expect(await accessibilityProblems(page)).toEqual([])
    await authenticator.setVerified(true)
    await page.keyboard.press("Enter")
    await signedIn()
    expect(site.sent).toHaveLength(2)
  })

  it("reports that the device already has a passkey", async () => {
    await openPage(false)
    await create()
    await signedIn()
    await page.goto("/")
    await create()
    await alert().getByText("already").waitFor()
    expect(site.sent).toHaveLength(1)
  })

  it("reports a failure if the server refuses or is unreachable", async () => {
    await openPage(false)
    site.refuseWith(400)
    await signInButton().click()
    await alert().getByText("didn't work").waitFor()
    site.refuseWith(undefined)
    await page.route("**/options*", (route) => route.abort("connectionrefused"))
    await create()
    await page.locator("details").getByRole("alert").getByText("didn't work").waitFor()
    expect(person?.complaints.splice(0).filter((text) => !/status of 400|REFUSED/.test(text))).toEqual([])
    await page.unroute("**/options*")
    await createButton().click()
    await signedIn()
  })

  it.each([
    ["without WebAuthn", "delete window.PublicKeyCredential"],
    ["served over http", undefined],
  ])("reports that passkeys are unavailable in a page %s", async (_, change) => {
    await openSite(true)
    if (change) await page.addInitScript(change)
    else {
      // Browsers treat loopback pages as secure, so the page is served under another host.
      const siteOrigin = site.origin
      await page.route("http://app.test/**", async (route) => {
        const { pathname } = new URL(route.request().url())
        await route.fulfill({ response: await route.fetch({ url: `${siteOrigin}${pathname}` }) })
      })
    }
    await page.goto(change ? "/" : "http://app.test/")
    await alert().getByText("can't use passkeys").waitFor()
    expect(await signInButton().isDisabled()).toBe(true)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.evaluate("document.querySelector('form').requestSubmit()")
    await pause()
    expect(new URL(page.url()).pathname).toBe("/")
    expect([site.optionRequests, site.sent]).toEqual([[], []])
  })

  it("shows a notice instead of buttons without JavaScript", async () => {
    site = await startPasskeySite()
    person = await newPerson(browser, { baseURL: site.origin, javaScriptEnabled: false })
    page = await person.newPage()
    await page.goto("/")
    const words = page.locator("noscript p")
    expect([await words.isVisible(), await words.textContent()]).toEqual([
      true,
      expect.stringMatching(/need JavaScript/),
    ])
    expect(await page.getByRole("button").or(page.locator("summary")).filter({ visible: true }).count()).toBe(0)
  })

  it("runs once if a page loads it twice", async () => {
    await openPage(true)
    await waitForRequests(1)
    await page.evaluate(`new Promise((resolve) => {
      const again = Object.assign(document.createElement("script"), { src: "/passkeys.js?again", onload: resolve })
      document.head.append(again)
    })`)
    await pause()
    expect(site.optionRequests).toHaveLength(1)
  })

  it("re-enables the button when the page returns from the back/forward cache", async () => {
    await openPage(false)
    const open = site.hold()
    await signInButton().click()
    expect(await signInButton().isDisabled()).toBe(true)
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(await signInButton().isEnabled()).toBe(true)
    open()
  })

  it("produces an accessible page", async () => {
    await openPage(true)
    await page.locator("summary").click()
    expect(await accessibilityProblems(page)).toEqual([])
  })
})
