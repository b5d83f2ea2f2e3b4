import { Browser, type Page } from "../support/browser.js"
import { visibleText } from "../support/html.js"
import { signInAtProvider } from "../support/real-provider.js"
import { until } from "../support/wait.js"
import { type RunningExample, runExample, runToEnd } from "./support/run-example.js"

const FILE = "examples/express-ejs/server.js"

describe("examples/express-ejs", () => {
  let example: RunningExample
  let browser: Browser

  beforeAll(async () => {
    example = await runExample(FILE)
  })
  afterAll(() => example?.stop())
  beforeEach(() => {
    browser = new Browser({ origin: example.origin })
  })

  async function submitOn(page: Page, action: string, fields: Record<string, string> = {}) {
    return browser.submit(browser.form(await page.text(), action), fields, { follow: true })
  }

  const signInAsCarol = async (password = "wonderland") => {
    const page = await browser.get("/profile", { follow: true })
    return submitOn(page, "/auth/callback/credentials", { username: "carol", password })
  }

  it("prints two lines at start", async () => {
    await until(() => example.output().trim().includes("\n"))
    expect(example.output().trim().split("\n")).toEqual([
      `The example runs at ${example.origin}`,
      expect.stringContaining(`http://localhost:${example.port + 1}`),
    ])
  })

  it.each(["alice", "bob"] as const)("signs %s in at the provider and comes back to the guarded page", async (who) => {
    const login = await browser.get("/profile", { follow: true })
    expect(new URL(login.url).pathname).toBe("/login")
    const sent = await browser.submit(browser.form(await login.text(), "/auth/signin/local"))
    const callback = await signInAtProvider(browser, sent.location, who)
    const page = await browser.get(callback, { follow: true })
    expect(page.url).toBe(`${example.origin}/profile`)
    expect(visibleText(await page.text())).toContain(`Email ${who}@example.com`)
  })

  it("says so when the provider's page was cancelled", async () => {
    const login = await browser.get("/profile", { follow: true })
    const sent = await browser.submit(browser.form(await login.text(), "/auth/signin/local"))
    const page = await browser.get(await signInAtProvider(browser, sent.location, "nobody"), { follow: true })
    expect(visibleText(await page.text())).toContain("The sign-in was cancelled or took too long.")
  })

  it("signs carol in with her password, and out again", async () => {
    const page = await signInAsCarol()
    expect(page.url).toBe(`${example.origin}/profile`)
    const home = await submitOn(page, "/auth/signout")
    expect(home.url).toBe(`${example.origin}/`)
    expect(visibleText(await home.text())).toContain("You are signed out")
  })

  it.each([
    ["a wrong password", { username: "carol", password: "looking-glass" }],
    ["an unknown name", { username: "dora", password: "wonderland" }],
  ])("refuses %s and keeps where to go", async (_, fields) => {
    const login = await browser.get("/account", { follow: true })
    const again = await submitOn(login, "/auth/callback/credentials", fields)
    const html = await again.text()
    expect(visibleText(html)).toContain("don’t go together")
    expect(browser.form(html, "/auth/callback/credentials").fields["callbackUrl"]).toContain("/account")
  })

  it("never shows the text of an error that the address brings", async () => {
    const page = await browser.get("/login?error=Call+0900+123")
    const text = visibleText(await page.text())
    expect(text).toContain("Signing in didn’t work.")
    expect(text).not.toContain("0900")
  })

  it("answers /api/me with JSON, and with a problem when nobody is signed in", async () => {
    const refused = await browser.get("/api/me", { headers: { "sec-fetch-mode": "cors", accept: "*/*" } })
    expect(refused.status).toBe(401)
    expect(refused.headers.get("content-type")).toBe("application/problem+json")
    await signInAsCarol()
    const me = await browser.get("/api/me", { headers: { "sec-fetch-mode": "cors", accept: "*/*" } })
    expect(await me.json()).toMatchObject({ name: "Carol", email: "carol@example.com" })
  })

  it.each(["/account", "/account/anything", "/orders"])("guards %s", async (path) => {
    const page = await browser.get(path)
    expect(page.location).toBe(`${example.origin}/login?callbackUrl=${encodeURIComponent(path)}`)
  })

  it("has a page for addresses that don't exist", async () => {
    const page = await browser.get("/nothing")
    expect(page.status).toBe(404)
    expect(visibleText(await page.text())).toContain("Page not found")
  })

  it("says it clearly when a port is taken", async () => {
    for (const port of [example.port, example.port - 1]) {
      const { code, output } = await runToEnd(FILE, { PORT: String(port) })
      expect(code).toBe(1)
      expect(output).toMatch(/^Port \d+ is taken; .*PORT=4000 npm start\n$/)
    }
  })

  it.each(["SIGINT", "SIGTERM"] as const)("ends at %s, with a connection still open", async (signal) => {
    const other = await runExample(FILE)
    await fetch(other.origin, { headers: { connection: "keep-alive" } })
    expect(await other.stop(signal)).toBe(0)
  })
})
