/** The sign-in form that serves a password and an email link, and the method that the browser used last. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { mailbox } from "../support/mail.js"

failOnUnhandled()

const LAST_USED = "authjs.last-used"
const PASSWORD = Credentials({
  credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
  authorize: ({ username, password }) => (password === "right" ? { id: "7", name: String(username) } : null),
})

describeServers("sign-in form for a password and an email", (start) => {
  async function createSite(over: Partial<AuthConfig> = {}) {
    const mail = mailbox()
    const adapter = MemoryAdapter()
    const { browser } = await start(
      configOf({ providers: [mail.provider, PASSWORD], adapter, session: { strategy: "jwt" }, ...over }),
    )
    return { mail, browser }
  }

  /** Presses a button of the form on the sign-in page. */
  async function press(browser: Browser, label: string, fields: Record<string, string>) {
    const [form] = browser.forms(await (await browser.get("/auth/signin")).text())
    const button = form?.buttons.find((candidate) => candidate.label === label)
    if (!form || !button) throw new Error(`no button ${label}`)
    const { formaction = form.action } = button.attributes
    return browser.post(formaction, { ...form.fields, ...fields, ...(button.name && { [button.name]: button.value }) })
  }

  it("signs in with the password", async () => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    await press(browser, "Sign in", { username: "ada", password: "right" })
    expect(await (await browser.get("/auth/session")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("sends a link to the address in the same field, without a password", async () => {
    const { browser: newBrowser, mail } = await createSite()
    const page = await press(newBrowser(), "Email me a sign-in link", { username: "ada@example.com", password: "" })
    expect(page.location).toContain("/auth/verify-request")
    expect(mail.sent.map(({ identifier }) => identifier)).toEqual(["ada@example.com"])
  })

  it.each([
    ["Email me a sign-in link", "ada@exa mple", "EmailSignInError"],
    ["Sign in", "ada", "CredentialsSignin"],
  ])("keeps the address after a failure, and never the password: %s", async (label, username, error) => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    const failed = await press(browser, label, { username, password: "wrong" })
    expect(failed.location).toContain(`error=${error}`)
    const [form] = browser.forms(await (await browser.get(failed.location)).text())
    expect(form?.fields).toMatchObject({ username, password: "" })
  })

  it("marks the method last used in this browser, with a cookie that contains only the provider's id", async () => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    expect(await (await browser.get("/auth/signin")).text()).not.toContain("Last used")
    const page = await press(browser, "Sign in", { username: "ada", password: "right" })
    const cookie = page.headers.getSetCookie().find((header) => header.startsWith(LAST_USED))
    expect(cookie).toMatch(/^authjs\.last-used=credentials; Max-Age=31536000; Path=\/; .*HttpOnly/)
    await browser.submit(browser.form(await (await browser.get("/auth/signout")).text()))
    const [form] = browser.forms(await (await browser.get("/auth/signin")).text())
    expect(form?.buttons.map(({ label }) => label)).toEqual(["Sign in Last used", "Email me a sign-in link"])
  })

  it.each<[string, Partial<AuthConfig>]>([
    ["theme.lastUsed is false", { theme: { lastUsed: false } }],
    ["there is one method", { providers: [PASSWORD] }],
  ])("sets no cookie for the last used method if %s", async (_, over) => {
    const { browser: newBrowser } = await createSite(over)
    const browser = newBrowser()
    await press(browser, "Sign in", { username: "ada", password: "right" })
    expect(browser.cookie(LAST_USED)).toBeUndefined()
  })

  it("ignores a cookie with another value", async () => {
    const { browser: newBrowser } = await createSite()
    const browser = newBrowser()
    const html = await (await browser.get("/auth/signin", { headers: { cookie: `${LAST_USED}=<script>` } })).text()
    expect(html).not.toMatch(/Last used|<script>/)
  })
})
