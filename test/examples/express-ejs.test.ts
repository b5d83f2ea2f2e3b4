import { visibleText } from "../support/html.js"
import { until } from "../support/wait.js"
import { ExamplePerson } from "./support/example-person.js"
import { type RunningExample, runExample, runToEnd } from "./support/run-example.js"

const FILE = "examples/express-ejs/server.js"

describe("examples/express-ejs", () => {
  let example: RunningExample
  let person: ExamplePerson

  beforeAll(async () => {
    example = await runExample(FILE)
  })
  afterAll(() => example?.stop())
  beforeEach(() => {
    person = new ExamplePerson(example.origin)
  })

  it("prints three lines at startup and no warning", async () => {
    await until(() => example.output().includes("/dev/mails"))
    const lines = example.output().trim().split("\n")
    expect(lines).toEqual([
      `The example runs at ${example.origin}`,
      expect.stringContaining(`http://127.0.0.1:${example.port + 1}`),
      expect.stringContaining(`${example.origin}/dev/mails`),
    ])
  })

  it.each(["alice", "bob"] as const)("signs in %s at the provider and returns to the guarded page", async (user) => {
    expect(new URL((await person.open("/profile")).url).pathname).toBe("/login")
    await person.goToProvider("/profile", user)
    const page = await person.open("/profile")
    expect(page.url).toBe(`${example.origin}/profile`)
    expect(visibleText(await page.text())).toContain(`Email ${user}@example.com`)
    const later = await new ExamplePerson(example.origin).goToProvider("/profile", user)
    expect(later.url).toBe(`${example.origin}/profile`)
  })

  it("reports that the sign-in at the provider was cancelled", async () => {
    const page = await person.goToProvider("/profile", "cancel")
    expect(visibleText(await page.text())).toContain("The sign-in was cancelled or took too long.")
  })

  it("signs in carol with her password and signs out", async () => {
    const page = await person.signInWithPassword()
    expect(page.url).toBe(`${example.origin}/profile`)
    const home = await person.submitOn(page, "/auth/signout")
    expect(home.url).toBe(`${example.origin}/`)
    expect(visibleText(await home.text())).toContain("You are signed out")
  })

  it.each([
    ["a wrong password", { username: "carol", password: "looking-glass" }],
    ["an unknown name", { username: "dora", password: "wonderland" }],
  ])("rejects %s, and keeps the return URL and the user name", async (_, fields) => {
    const page = await person.submitOn(await person.open("/account"), "/auth/callback/credentials", fields)
    const html = await page.text()
    expect(visibleText(html)).toContain("don’t go together")
    const { fields: kept } = person.browser.form(html, "/auth/callback/credentials")
    expect(kept).toMatchObject({ callbackUrl: expect.stringContaining("/account"), username: fields.username })
    expect(html).not.toContain(fields.password === "wonderland" ? 'value="wonderland"' : fields.password)
  })

  it("offers email links, passkeys, the provider and passwords in this order", async () => {
    const page = await person.open("/login")
    const actions = person.browser.forms(await page.text()).map(({ action }) => new URL(action).pathname)
    const passkey = "/auth/callback/passkey"
    expect(actions).toEqual(["/auth/signin/email", passkey, "/auth/signin/dev", "/auth/callback/credentials"])
  })

  it.each(["Call 0900 123", "constructor", "__proto__"])(
    "shows no text from the error parameter: %s",
    async (error) => {
      const page = await person.open(`/login?${new URLSearchParams({ error })}`)
      const text = visibleText(await page.text())
      expect(text).toContain("Signing in didn’t work.")
      expect(text).not.toMatch(/0900|function|object/i)
    },
  )

  it("responds to /api/me with JSON, or with problem+json without a session", async () => {
    const script = { headers: { "sec-fetch-mode": "cors", accept: "*/*" } }
    const refused = await person.browser.get("/api/me", script)
    expect(refused.status).toBe(401)
    expect(refused.headers.get("content-type")).toBe("application/problem+json")
    await person.signInWithPassword()
    const me = await person.browser.get("/api/me", script)
    expect(await me.json()).toEqual({ id: "carol", name: "Carol", email: "carol@example.com" })
  })

  it.each(["/account", "/account/anything", "/orders", "/welcome"])("requires a session for %s", async (path) => {
    const page = await person.browser.get(path)
    expect(page.location).toBe(`${example.origin}/login?callbackUrl=${encodeURIComponent(path)}`)
  })

  it("keeps the colour scheme that the visitor has chosen, also after a sign-in", async () => {
    const readScheme = async (page: Response) => /<html[^>]* data-scheme="(\w+)"/.exec(await page.text())?.[1]
    expect(await readScheme(await person.open("/"))).toBeUndefined()
    await person.submitOn(await person.open("/"), "/scheme", { scheme: "dark" })
    await person.signInWithPassword()
    expect(await readScheme(await person.open("/profile"))).toBe("dark")
    await person.submitOn(await person.open("/"), "/scheme", { scheme: "" })
    expect(await readScheme(await person.open("/profile"))).toBeUndefined()
  })

  it("has a 404 page", async () => {
    const page = await person.open("/nothing")
    expect(page.status).toBe(404)
    expect(visibleText(await page.text())).toContain("Page not found")
  })

  it.each(["/", "/login", "/dev/mails", "/nothing"])(
    "sends %s with a policy that forbids foreign resources and framing",
    async (path) => {
      const { headers } = await person.open(path)
      expect(headers.get("content-security-policy")).toBe("default-src 'self'; base-uri 'none'; frame-ancestors 'none'")
    },
  )

  it("reports a port that is in use", async () => {
    for (const port of [example.port, example.port - 1]) {
      const { code, output } = await runToEnd(FILE, { PORT: String(port) })
      expect(code).toBe(1)
      expect(output).toMatch(/^Port \d+ is taken; .*PORT=4000 npm start\n$/)
    }
  })

  it.each(["SIGINT", "SIGTERM"] as const)("exits on %s while a connection is open", async (signal) => {
    const other = await runExample(FILE)
    await fetch(other.origin, { headers: { connection: "keep-alive" } })
    expect(await other.stop(signal)).toBe(0)
  })
})
