import { type DevProvider, devProvider } from "../../lib/testing.js"
import type { Profile } from "../../lib/types.js"
import { describeServer, type RunningApp, recordingLogger } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { decodeEntities, visibleText } from "../support/html.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

describeServer("the page of devProvider()", "Express 5", (start) => {
  let dev: DevProvider
  let app: RunningApp
  let browser: Browser
  const profiles: (Profile | undefined)[] = []

  beforeAll(async () => {
    const users = { "auth0|7 <b>": { name: "<i>Eve</i>", email: "eve@example.com" }, alice: { name: "Alice", age: 7 } }
    dev = await devProvider({ port: 0, users }).listen()
    const signIn = ({ profile }: { profile?: Profile }) => profiles.push(profile) > 0
    app = await start({ providers: [dev], logger: recordingLogger().logger, callbacks: { signIn } })
  })
  beforeEach(() => {
    browser = app.browser()
    profiles.length = 0
  })
  afterAll(() => dev.close())

  async function openPage(): Promise<string> {
    const form = browser.form(await (await browser.get("/auth/signin")).text(), "/auth/signin/dev")
    return (await browser.get((await browser.submit(form)).location)).text()
  }

  const formWith = (html: string, field: string, value: string) => {
    const found = browser.forms(html).find(({ fields }) => fields[field] === value)
    if (found) return found
    throw new Error(`no form whose ${field} is "${value}"`)
  }

  /** Returns to the application; returns the profile that it received. */
  async function comeBack(page: Page): Promise<Profile | undefined> {
    await browser.get(page.location, { follow: true })
    return profiles.at(-1)
  }

  it("has a button for each user and escapes their data", async () => {
    const html = await openPage()
    const buttons = browser.forms(html).flatMap(({ buttons }) => buttons)
    const people = buttons.filter(({ name }) => name === "user")
    expect(people.map(({ value }) => value)).toEqual(["auth0|7 <b>", "alice"])
    expect(html).not.toContain("<i>Eve")
    expect(visibleText(html)).toContain("<i>Eve</i> eve@example.com")
    const page = await browser.submit(browser.form(html), { user: "auth0|7 <b>" })
    expect(await comeBack(page)).toMatchObject({ sub: "auth0|7 <b>", name: "<i>Eve</i>" })
  })

  it("signs in with edited claims and keeps them", async () => {
    const form = formWith(await openPage(), "sub", "alice")
    expect(decodeEntities(form.html)).toContain(JSON.stringify({ age: 7 }, null, 2))
    const more = '{ "age": 8, "groups": ["staff"] }'
    const page = await browser.submit(form, { name: "Alice L.", email: "a@example.com", email_verified: "on", more })
    const claims = { name: "Alice L.", email: "a@example.com", email_verified: true, age: 8, groups: ["staff"] }
    expect(await comeBack(page)).toMatchObject({ sub: "alice", ...claims })
    expect(dev.users.get("alice")).toEqual(claims)
  })

  it.each([
    ["Fred.Frog@example.com", "fred-frog"],
    ["Fred.Frog@other.example", "fred-frog-2"],
    ["", "user"],
  ])("signs in a new user with the address %j as %s", async (email, sub) => {
    const form = formWith(await openPage(), "sub", "")
    const profile = await comeBack(await browser.submit(form, { email, more: "" }))
    expect(profile).toMatchObject({ sub, ...(email && { email, email_verified: true }) })
    expect(profile).toHaveProperty("sub", sub)
    expect(dev.users.has(sub)).toBe(true)
  })

  it.each(["{", "[1]", "7"])("reports invalid claims %s and keeps the entered values", async (more) => {
    const form = formWith(await openPage(), "sub", "")
    const page = await browser.submit(form, { name: "Gail", more })
    expect(page.status).toBe(422)
    const html = await page.text()
    expect(html).toMatch(/<details open>\s*<summary>New user/)
    expect(html).toMatch(/role="alert">This is (not valid )?JSON/)
    expect(html).toContain(`aria-describedby="error" autofocus>\n${more}</textarea>`)
    const again = formWith(html, "name", "Gail")
    expect(await comeBack(await browser.submit(again, { more: "" }))).toMatchObject({ name: "Gail" })
  })

  it("applies a mode to the chosen user", async () => {
    const html = await openPage()
    const form = browser.forms(html).find(({ buttons }) => buttons.some(({ value }) => value === "no-email"))
    const labels = form?.buttons.map(({ value }) => value)
    expect(labels).toEqual([
      ...["deny", "expired-flow", "expired-code", "expired-token", "slow", "unverified-email", "no-email"],
      ...["new-keys", "wrong-signature"],
    ])
    if (form) await comeBack(await browser.submit(form, { user: "auth0|7 <b>", mode: "no-email" }))
    expect(profiles[0]).toMatchObject({ sub: "auth0|7 <b>" })
    expect(profiles[0]).not.toHaveProperty("email")
  })

  it("can be cancelled", async () => {
    const html = await openPage()
    const cancel = browser.forms(html).at(-1)
    expect(cancel?.buttons[0]).toMatchObject({ label: "Cancel", name: "mode", value: "deny" })
    if (!cancel) throw new Error("there is no last form")
    const page = await browser.submit(cancel, { mode: "deny" })
    expect(new URL(page.location).searchParams.get("error")).toBe("access_denied")
  })

  it("rejects forms from another site, foreign redirect URIs, and unknown users and modes", async () => {
    const form = browser.form(await openPage())
    const forged = await browser.submit(form, { user: "alice" }, { from: "http://evil.test" })
    expect(forged.status).toBe(403)
    const request = form.fields["request"]?.replace(/redirect_uri=[^&]*/, "redirect_uri=http%3A%2F%2Fevil.test")
    const elsewhere = await browser.submit(form, { user: "alice", request: request ?? "" })
    expect([elsewhere.status, elsewhere.location]).toEqual([400, ""])
    expect((await browser.submit(form, { user: "nobody" })).status).toBe(400)
    expect((await browser.submit(form, { user: "alice", mode: "constructor" })).status).toBe(400)
  })

  it("loads nothing, runs no script and cannot be framed", async () => {
    const form = browser.form(await (await browser.get("/auth/signin")).text(), "/auth/signin/dev")
    const page = await browser.get((await browser.submit(form)).location)
    const policy = page.headers.get("content-security-policy")
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'.*style-src 'sha256-[\w+/=]+'$/)
    expect(policy).not.toContain("script-src")
    expect(page.headers.get("cache-control")).toBe("no-store")
  })
})
