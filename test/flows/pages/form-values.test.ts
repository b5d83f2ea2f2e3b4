/** After a failed sign-in, the form keeps the user name or email address, but never a secret. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { recordingLogger } from "../../support/recording-logger.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const COOKIE = "authjs.form-values"
const PASSWORD = "a wrong password"
const MAIL = { id: "mail", type: "email", name: "Mail", sendVerificationRequest: () => {} } as const

const form = (id: string, credentials: Record<string, object>) =>
  Credentials({ id, name: id, credentials, authorize: () => null })

const STAFF = form("staff", {
  username: { label: "User name" },
  password: { label: "Password", type: "password" },
  otp: { label: "Code" },
})

describeServers("sign-in form after a failure", (start) => {
  const createSite = async (over: Partial<AuthConfig> = {}) => {
    const recorded = recordingLogger()
    const app = await start(configOf({ providers: [STAFF], logger: recorded.logger, debug: true, ...over }))
    return { ...app, logText: () => JSON.stringify(recorded.records) }
  }

  /** Fills in the form of the sign-in page, and loads the page that shows the failure. */
  async function fail(browser: Browser, id: string, fields: Record<string, string>, action = "/auth/callback/") {
    const page = await browser.get("/auth/signin")
    const failed = await browser.submit(browser.form(await page.text(), `${action}${id}`), fields)
    return { failed, shown: await browser.get(failed.location) }
  }

  const valuesIn = async (browser: Browser, page: Page, action: string) => {
    const { inputs } = browser.form(await page.text(), action)
    return Object.fromEntries(inputs.filter(({ type }) => type !== "hidden").map(({ name, value }) => [name, value]))
  }

  it("keeps the user name, but not the password or a one-time code", async () => {
    const { browser: newBrowser, logText } = await createSite()
    const browser = newBrowser()
    const typed = { username: `ada "the first" <b>`, password: PASSWORD, otp: "123456" }
    const { failed, shown } = await fail(browser, "staff", typed)
    expect(await valuesIn(browser, shown, "/callback/staff")).toEqual({ ...typed, password: "", otp: "" })
    expect(failed.location).not.toMatch(/ada|wrong/)
    const cookie = failed.headers.getSetCookie().find((header) => header.startsWith(COOKIE)) ?? ""
    expect(cookie).toMatch(/; Max-Age=60;.*HttpOnly; SameSite=Lax/)
    expect(decodeURIComponent(cookie)).not.toMatch(/ada "|the first/)
    expect(logText()).not.toMatch(/the first|a wrong password/)
  })

  it("keeps the user name for one page only", async () => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    const { failed } = await fail(browser, "staff", { username: "ada", password: PASSWORD })
    expect(browser.cookie(COOKIE)).toBeUndefined()
    expect(await valuesIn(browser, await browser.get(failed.location), "/callback/staff")).toMatchObject({
      username: "",
    })
  })

  it("focuses the first empty field", async () => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    const { shown } = await fail(browser, "staff", { username: "ada", password: PASSWORD })
    const { inputs } = browser.form(await shown.text(), "/callback/staff")
    expect(inputs.filter(({ attributes }) => "autofocus" in attributes).map(({ name }) => name)).toEqual(["password"])
  })

  it("does not fill in the form of another provider", async () => {
    const { browser: newBrowser } = await createSite({
      providers: [STAFF, form("guests", { username: {}, password: { type: "password" } })],
    })
    const browser = newBrowser()
    const { shown } = await fail(browser, "guests", { username: "ada", password: PASSWORD })
    const html = await shown.text()
    const nameIn = (action: string) => browser.form(html, action).fields["username"]
    expect([nameIn("/callback/staff"), nameIn("/callback/guests")]).toEqual(["", "ada"])
  })

  it.each([
    [
      "an email address",
      { email: { type: "email" }, pw: { type: "password" } },
      { email: "ada@example.com", pw: "x" },
      ["email"],
    ],
    [
      "a name in another language",
      { benutzer: {}, kennwort: { type: "password" } },
      { benutzer: "ada", kennwort: "x" },
      ["benutzer"],
    ],
    [
      "nothing if no field has the type password",
      { benutzer: {}, kennwort: {} },
      { benutzer: "ada", kennwort: "x" },
      [],
    ],
    [
      "no user name in a field of type password",
      { username: { type: "password" }, pw: { type: "password" } },
      { username: "ada", pw: "x" },
      [],
    ],
    [
      "no field with autocomplete current-password",
      { login: { autocomplete: "current-password" }, user: {} },
      { login: "x", user: "ada" },
      ["user"],
    ],
    [
      "no value that is too long for a user name",
      { username: {}, password: { type: "password" } },
      { username: "a".repeat(255), password: "x" },
      [],
    ],
  ])("keeps %s", async (_, credentials, fields, kept) => {
    const { browser: newBrowser } = await createSite({ providers: [form("staff", credentials)] })
    const browser = newBrowser()
    const { shown } = await fail(browser, "staff", fields)
    const values = Object.entries(await valuesIn(browser, shown, "/callback/staff"))
    expect(values.filter(([, value]) => value !== "").map(([name]) => name)).toEqual(kept)
  })

  it("keeps the user name after an expired CSRF token, unless the form is cross-site", async () => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    const fields = { csrfToken: "old", username: "ada", password: PASSWORD }
    const late = await browser.post("/auth/callback/staff", fields)
    expect(late.location).toContain("error=MissingCSRF")
    const shown = await browser.get(late.location)
    expect(await valuesIn(browser, shown, "/callback/staff")).toMatchObject({ username: "ada", password: "" })
    await browser.post("/auth/callback/staff", fields, { from: "https://evil.example" })
    expect(browser.cookie(COOKIE)).toBeUndefined()
  })

  it("keeps an invalid email address, but not in the URL", async () => {
    const { browser: newBrowser } = await createSite({ providers: [MAIL], adapter: MemoryAdapter() })
    const browser = newBrowser()
    const { failed, shown } = await fail(browser, "mail", { email: "ada@exmaple," }, "/auth/signin/")
    expect(new URL(failed.location).search).toBe("?error=EmailSignInError")
    expect(await valuesIn(browser, shown, "/signin/mail")).toEqual({ email: "ada@exmaple," })
  })

  it("ignores a forged cookie and a cookie that is encrypted with another secret", async () => {
    const { browser: newBrowser } = await createSite()
    const other = await createSite({ secret: "another secret for tests alone, of fifty letters" })
    const stranger = other.browser()
    const page = await stranger.get("/auth/signin")
    await stranger.submit(stranger.form(await page.text(), "/auth/callback/staff"), { username: "eve", password: "x" })
    const sealed = stranger.cookie(COOKIE) ?? ""
    expect(sealed).not.toBe("")
    for (const planted of [sealed, "eve", '{"provider":"staff","values":{"username":"eve"}}']) {
      const browser = newBrowser()
      browser.setCookie(COOKIE, encodeURIComponent(planted))
      const shown = await browser.get("/auth/signin?error=CredentialsSignin")
      expect(await valuesIn(browser, shown, "/callback/staff")).toMatchObject({ username: "" })
    }
  })
})
