import { statSync } from "node:fs"
import { join } from "node:path"
import { visibleText } from "../support/html.js"
import { ExamplePerson } from "./support/example-person.js"
import { type RunningExample, runExample, temporaryFolder } from "./support/run-example.js"

const FILE = "examples/express-ejs/server.js"

describe("examples/express-ejs: emails and accounts", () => {
  let example: RunningExample
  let person: ExamplePerson

  beforeAll(async () => {
    example = await runExample(FILE)
  })
  afterAll(() => example?.stop())
  beforeEach(() => {
    person = new ExamplePerson(example.origin)
  })

  const readText = async (path: string, visitor = person) => visibleText(await (await visitor.open(path)).text())

  describe("an email link", () => {
    it("signs in a new user and shows the welcome page once", async () => {
      const sent = await person.askForLink("Dora@Example.com")
      expect(new URL(sent.url).pathname).toBe("/check-email")
      expect(await sent.text()).toContain('href="/dev/mails"')
      const welcome = await person.open(await person.newestLink())
      expect(new URL(welcome.url).pathname).toBe("/welcome")
      expect(await welcome.text()).toContain(`href="${example.origin}/profile"`)
      expect(await readText("/profile")).toContain("Email dora@example.com")
      const later = await new ExamplePerson(example.origin).signInByEmail("dora@example.com")
      expect(later.url).toBe(`${example.origin}/profile`)
    })

    it("asks for confirmation in a browser that did not request it", async () => {
      await person.askForLink("erin@example.com")
      const link = await person.newestLink()
      const otherBrowser = new ExamplePerson(example.origin)
      const question = await otherBrowser.open(link)
      expect(await readText("/", otherBrowser)).toContain("You are signed out")
      await otherBrowser.submitOn(question, "/auth/callback/email")
      expect(await readText("/profile", otherBrowser)).toContain("Email erin@example.com")
    })

    it("is not sent to a mistyped address, which stays in the form", async () => {
      const typed = 'frank@example.com, "eve"@example.com'
      const page = await person.askForLink(typed, "/account")
      const html = await page.text()
      expect(visibleText(html)).toContain("There is something wrong with this email address.")
      expect(person.browser.form(html, "/auth/signin/email").fields).toMatchObject({
        email: typed,
        callbackUrl: expect.stringContaining("/account"),
      })
    })

    it("that could not be sent is reported", async () => {
      expect(await readText("/login?error=EmailSignin")).toContain("The email couldn’t be sent.")
    })
  })

  it.each([
    ["another site", () => "https://evil.example/"],
    ["a site whose name begins with the site's name", () => `${example.origin}.evil.example/`],
    ["a script", () => "javascript:alert(1)"],
  ])("the welcome page does not link to %s", async (_, address) => {
    await person.signInWithPassword()
    const page = await person.open(`/welcome?${new URLSearchParams({ callbackUrl: address() })}`)
    expect(await page.text()).toContain('<a class="button primary" href="/">Go on</a>')
  })

  describe("the account page", () => {
    it("links the provider to a user who signed up by email, and rejects the provider's sign-in before that", async () => {
      await person.signInByEmail("alice@example.com")
      expect(await readText("/account")).toMatch(/Confirmed \w{3}, .*GMT .*None yet\. Link Development provider/)

      const other = new ExamplePerson(example.origin)
      const refused = await other.goToProvider("/account", "alice")
      expect(new URL(refused.url).pathname).toBe("/login")
      expect(visibleText(await refused.text())).toContain("A user with this email address already exists.")
      await other.signInByEmail("alice@example.com", refused.url)

      const linked = await other.goToProvider("/account", "alice")
      expect(linked.url).toBe(`${example.origin}/account`)
      expect(visibleText(await linked.text())).toMatch(/Linked accounts Development provider alice Passkeys/)

      const third = new ExamplePerson(example.origin)
      const page = await third.goToProvider("/account", "alice")
      expect(page.url).toBe(`${example.origin}/account`)
    })

    it("rejects an account that belongs to another user", async () => {
      await new ExamplePerson(example.origin).goToProvider("/profile", "bob")
      await person.signInWithPassword()
      const refused = await person.goToProvider("/account", "bob")
      const text = visibleText(await refused.text())
      expect(text).toContain("This account belongs to another user.")
      expect(text).toMatch(/carol@example\.com Confirmed not yet.*None yet\./)
    })

    it("reports that linking was cancelled", async () => {
      await person.signInWithPassword()
      const page = await person.goToProvider("/account", "cancel")
      expect(new URL(page.url).pathname).toBe("/account")
      expect(visibleText(await page.text())).toContain("The sign-in was cancelled or took too long.")
    })
  })

  describe("/dev/mails", () => {
    it("shows an email in a sandboxed frame without scripts", async () => {
      await person.askForLink("hugo@example.com")
      const html = await (await person.open("/dev/mails")).text()
      const [, src = "", sandbox] = /<iframe src="([^"]+)".* sandbox="([^"]*)"/.exec(html) ?? []
      expect(sandbox).toBe("allow-top-navigation-by-user-activation")
      const mail = await person.open(src)
      expect(mail.headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation",
      )
      expect(await mail.text()).toContain('<base target="_top">')
    })

    it("keeps the last 20 emails", async () => {
      for (let i = 0; i <= 20; i++) await person.askForLink(`ida-${i}@example.com`, "/login")
      const html = await (await person.open("/dev/mails")).text()
      const names = [...html.matchAll(/<b>(ida-\d+)@example\.com<\/b> <span>/g)].map(([, name]) => name)
      expect(names).toEqual(Array.from({ length: 20 }, (_, index) => `ida-${20 - index}`))
    })

    it("responds 404 for an unknown email", async () => {
      expect((await person.open("/dev/mails/0")).status).toBe(404)
      expect((await person.open("/dev/mails/constructor/html")).status).toBe(404)
    })

    it("is missing in production, as are email links without a mail server and the development provider", async () => {
      const AUTH_SECRET = "a secret of more than thirty-two characters"
      const live = await runExample(FILE, { NODE_ENV: "production", AUTH_SECRET, AUTH_TRUST_HOST: "true" })
      const visitor = new ExamplePerson(live.origin)
      expect((await visitor.open("/dev/mails")).status).toBe(404)
      const login = await (await visitor.open("/login")).text()
      expect(visitor.browser.forms(login).map(({ action }) => new URL(action).pathname)).toEqual([
        "/auth/callback/passkey",
        "/auth/callback/credentials",
      ])
      expect(login).not.toContain("wonderland")
      await live.stop()
    })

    it("the known password is rejected in production, even with a database from development", async () => {
      const folder = temporaryFolder()
      const env = { DATABASE_FILE: join(folder.path, "copied.db"), AUTH_TRUST_HOST: "true" }
      await (await runExample(FILE, env)).stop()
      const secret = "a secret of more than thirty-two characters"
      const live = await runExample(FILE, { ...env, NODE_ENV: "production", AUTH_SECRET: secret })
      const refused = await new ExamplePerson(live.origin).signInWithPassword()
      expect(refused.url).toContain("error=CredentialsSignin")
      await live.stop()
      folder.remove()
    })
  })
})

describe("examples/express-ejs: a later verification of an address", () => {
  let example: RunningExample

  beforeAll(async () => {
    example = await runExample(FILE)
  })
  afterAll(() => example?.stop())

  it("ends the session and the password of the user who registered the address before", async () => {
    const attacker = new ExamplePerson(example.origin)
    expect((await attacker.signInWithPassword()).url).toBe(`${example.origin}/profile`)
    const owner = new ExamplePerson(example.origin)
    await owner.signInByEmail("carol@example.com")
    expect(visibleText(await (await owner.open("/account")).text())).toMatch(/carol@example\.com Confirmed \w{3}, /)
    // The session has ended, and the password is invalid.
    expect((await attacker.open("/profile")).url).toContain("/login")
    for (const browser of [attacker, new ExamplePerson(example.origin)]) {
      const refused = await browser.signInWithPassword()
      expect(visibleText(await refused.text())).toContain("don’t go together")
    }
  })

  it("keeps the password of a user who opens the link while signed in", async () => {
    const fresh = await runExample(FILE)
    const carol = new ExamplePerson(fresh.origin)
    await carol.signInWithPassword()
    const sent = await carol.browser.get("/auth/csrf")
    const { csrfToken } = Object(await sent.json())
    await carol.browser.post("/auth/signin/email", { csrfToken, email: "carol@example.com" })
    await carol.open(await carol.newestLink())
    const later = await new ExamplePerson(fresh.origin).signInWithPassword()
    expect(later.url).toBe(`${fresh.origin}/profile`)
    await fresh.stop()
  })
})

describe("examples/express-ejs after a restart", () => {
  let folder: ReturnType<typeof temporaryFolder>
  let example: RunningExample | undefined

  beforeAll(() => {
    folder = temporaryFolder()
  })
  afterAll(async () => {
    await example?.stop()
    folder.remove()
  })

  it("accepts sessions, forms and links that were created before the restart", async () => {
    const DATABASE_FILE = join(folder.path, "shop.db")
    example = await runExample(FILE, { DATABASE_FILE })
    const { origin, port } = example
    const [dora, erin, frank] = [new ExamplePerson(origin), new ExamplePerson(origin), new ExamplePerson(origin)]
    await dora.signInByEmail("dora@example.com")
    const form = await erin.open("/login")
    await frank.askForLink("frank@example.com")
    const link = await frank.newestLink()
    expect(await example.stop()).toBe(0)
    example = await runExample(FILE, { DATABASE_FILE, PORT: String(port) })
    expect((await dora.open("/profile")).url).toBe(`${origin}/profile`)
    const sent = await erin.submitOn(form, "/auth/signin/email", { email: "erin@example.com" })
    expect(new URL(sent.url).pathname).toBe("/check-email")
    expect(new URL((await frank.open(link)).url).pathname).toBe("/welcome")
    // The secret allows forging such forms and links.
    expect(statSync(`${DATABASE_FILE}.secret`).mode & 0o777).toBe(0o600)
  }, 60_000)
})
