import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { accessibilityProblems, describeInChromium, launch, newPerson, type Person } from "./support/chromium.js"
import { type PasskeySite, startPasskeySite } from "./support/passkey-site.js"
import { plugIn, type VirtualAuthenticator } from "./support/virtual-authenticator.js"

const SCRIPT = join(__dirname, "../../views/passkeys.js")

it("the script of passkeys is small, and names the licence of what is in it", () => {
  expect(statSync(SCRIPT).size).toBeLessThan(12_000)
  expect(readFileSync(SCRIPT, "utf8")).toMatch(/^\/\*! latchkey.*Copyright \(c\) \d+ Matthew Miller.*Permission is/s)
})

describeInChromium("the script of passkeys", () => {
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

  /** A person before the page of a site; `hasField` is a field in which a browser may offer passkeys. */
  async function visit(hasField: boolean, options: BrowserContextOptions = {}) {
    site = await startPasskeySite({ hasField })
    person = await newPerson(browser, { baseURL: site.origin, ...options })
    page = await person.newPage()
    authenticator = await (await plugIn(page))()
  }
  async function arrive(hasField: boolean) {
    await visit(hasField)
    await page.goto("/")
  }

  const signInButton = () => page.getByRole("button", { name: "Sign in with a passkey" })
  const createButton = () => page.getByRole("button", { name: "Create a passkey" })
  const alert = () => page.getByRole("alert")
  const signedIn = () => page.waitForURL("**/me")
  const asked = (count: number) => waitFor(() => site.asked.length >= count)
  /** Long enough for what must not happen. */
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
   * Leaves a passkey behind, and comes back; the offer in the field stays open then. An authenticator looks for the hand
   * when it is asked, so a hand that comes later is for what is asked later.
   */
  async function comeBackWithPasskey() {
    await create()
    await signedIn()
    await authenticator.setTouched(false)
    for (const list of [site.asked, site.sent]) list.length = 0
    await page.goto("/")
    await asked(1)
    await pause()
  }

  it("makes a passkey with what the person typed, and signs in with it", async () => {
    await arrive(false)
    await create()
    await signedIn()
    expect(site.asked).toEqual(["?action=register&email=ada%40example.com"])
    const [{ fields, holds } = { fields: {}, holds: false }] = site.sent
    expect({ ...fields, holds }).toMatchObject({
      action: "register",
      csrfToken: "a-token",
      callbackUrl: "/me",
      holds: true,
    })
    await page.goto("/")
    await signInButton().click()
    await signedIn()
    expect(site.asked[1]).toBe("?action=authenticate")
    expect(site.sent[1]).toMatchObject({ fields: { action: "authenticate", callbackUrl: "/me" }, holds: true })
  })

  it("asks the browser to check the fields first, and takes no password into an address", async () => {
    await arrive(false)
    await page.locator("summary").click()
    await createButton().click()
    await pause()
    expect(site.asked).toEqual([])
    const pin = `document.querySelector('[name=email]').insertAdjacentHTML('afterend', '<input type=password name=pin value=1234>')`
    await page.evaluate(pin)
    await page.getByLabel("Email").fill("ada@example.com")
    await createButton().click()
    await signedIn()
    expect(site.asked).toEqual(["?action=register&email=ada%40example.com"])
    expect(site.sent[0]?.fields).toMatchObject({ pin: "1234" })
  })

  describe("in a field", () => {
    it("offers passkeys by itself, and signs in with the one that is chosen", async () => {
      await arrive(true)
      await create()
      await signedIn()
      for (const list of [site.asked, site.sent]) list.length = 0
      await page.goto("/")
      await signedIn()
      expect(site.asked).toEqual(["?action=authenticate"])
      expect(site.sent).toMatchObject([{ holds: true }])
    })

    it("offers none where the page has no such field, or the browser can't", async () => {
      await arrive(false)
      await pause()
      expect(site.asked).toEqual([])
      await person?.context.close()
      await site.close()
      await visit(true)
      await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
      await page.goto("/")
      await signInButton().waitFor()
      await pause()
      expect(site.asked).toEqual([])
    })

    it("gives way to the button, whose passkey counts", async () => {
      await arrive(true)
      await comeBackWithPasskey()
      await authenticator.setTouched(true)
      await signInButton().click()
      await signedIn()
      expect(site.asked).toHaveLength(2)
      expect(site.sent).toMatchObject([{ holds: true }])
    })

    it("offers them again when the person has cancelled at the button, and not for ever", async () => {
      await arrive(true)
      await comeBackWithPasskey()
      await authenticator.setVerified(false)
      await authenticator.setTouched(true)
      await signInButton().click()
      await alert().getByText("No passkey was used").waitFor()
      await asked(3)
      await pause()
      expect(site.asked).toHaveLength(3)
      expect(site.sent).toEqual([])
    })

    it("renews a challenge before it is too old", async () => {
      await visit(true)
      await page.clock.install()
      await page.goto("/")
      await comeBackWithPasskey()
      await authenticator.setTouched(true)
      await page.clock.fastForward("09:00")
      await pause()
      expect(site.asked).toHaveLength(1)
      await page.clock.fastForward("02:00")
      await signedIn()
      expect(site.asked).toHaveLength(2)
      expect(site.sent).toMatchObject([{ holds: true }])
    })
  })

  it("does one thing for two clicks, and says that it is busy", async () => {
    await arrive(false)
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
    expect(site.asked.filter((query) => query.includes("authenticate"))).toHaveLength(1)
    expect(site.sent).toHaveLength(2)
  })

  it("says that it was cancelled, leaves the keyboard where it was, and lets the person try again", async () => {
    await arrive(false)
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

  it("says that a device has a passkey already", async () => {
    await arrive(false)
    await create()
    await signedIn()
    await page.goto("/")
    await create()
    await alert().getByText("already").waitFor()
    expect(site.sent).toHaveLength(1)
  })

  it("says that it failed when the server refuses, or is not there", async () => {
    await arrive(false)
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
    ["that was opened without https", undefined],
  ])("says at once that passkeys can't be used in a page %s", async (_, change) => {
    await visit(true)
    if (change) await page.addInitScript(change)
    else {
      // A page on this machine counts as secure, whatever brought it.
      const there = site.origin
      await page.route("http://app.test/**", async (route) => {
        const { pathname } = new URL(route.request().url())
        await route.fulfill({ response: await route.fetch({ url: `${there}${pathname}` }) })
      })
    }
    await page.goto(change ? "/" : "http://app.test/")
    await alert().getByText("can't use passkeys").waitFor()
    expect(await signInButton().isDisabled()).toBe(true)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.evaluate("document.querySelector('form').requestSubmit()")
    await pause()
    expect(new URL(page.url()).pathname).toBe("/")
    expect([site.asked, site.sent]).toEqual([[], []])
  })

  it("leaves words where there is no JavaScript, and no button that does nothing", async () => {
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

  it("runs once however often a page loads it", async () => {
    await arrive(true)
    await asked(1)
    await page.evaluate(`new Promise((resolve) => {
      const again = Object.assign(document.createElement("script"), { src: "/passkeys.js?again", onload: resolve })
      document.head.append(again)
    })`)
    await pause()
    expect(site.asked).toHaveLength(1)
  })

  it("can be used again by who comes back to the page", async () => {
    await arrive(false)
    const open = site.hold()
    await signInButton().click()
    expect(await signInButton().isDisabled()).toBe(true)
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(await signInButton().isEnabled()).toBe(true)
    open()
  })

  it("can be used by everybody", async () => {
    await arrive(true)
    await page.locator("summary").click()
    expect(await accessibilityProblems(page)).toEqual([])
  })
})
