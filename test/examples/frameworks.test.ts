import { Browser } from "../support/browser.js"
import { signInAtDevProvider } from "./support/dev-person.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describe.each([
  { name: "connect", base: "/auth" },
  { name: "fastify", base: "/api/auth" },
  { name: "hono", base: "/api/auth" },
])("examples/$name", ({ name, base }) => {
  let example: RunningExample

  beforeAll(async () => {
    example = await runExample(`examples/${name}/server.js`)
  })
  afterAll(() => example?.stop())

  it("returns the sign-in URL without a session", async () => {
    const browser = new Browser({ origin: example.origin })
    expect(await (await browser.get("/")).json()).toEqual({ signIn: `${base}/signin` })
  })

  it("signs in, returns to the guarded page, and signs out", async () => {
    const browser = new Browser({ origin: example.origin })
    const page = await signInAtDevProvider(browser, { path: "/me", as: "alice" })
    expect(page.url).toBe(`${example.origin}/me`)
    expect(await page.json()).toMatchObject({ name: "Alice", email: "alice@example.com" })
    expect(await (await browser.get("/")).json()).toEqual({ signedInAs: "Alice" })

    const question = await (await browser.get(`${base}/signout`)).text()
    await browser.submit(browser.form(question, `${base}/signout`))
    expect(await (await browser.get("/")).json()).toEqual({ signIn: `${base}/signin` })
  })

  it("rejects a sign-out without a CSRF token", async () => {
    const browser = new Browser({ origin: example.origin })
    await signInAtDevProvider(browser, { path: "/me", as: "bob" })
    await browser.post(`${base}/signout`)
    expect(await (await browser.get("/")).json()).toEqual({ signedInAs: "Bob" })
  })

  it("SEC-07: answers HEAD with the status of GET and without a body", async () => {
    const browser = new Browser({ origin: example.origin })
    for (const path of ["signin", "session", "csrf", "providers"].map((name) => `${base}/${name}`)) {
      const page = await browser.request(path, { method: "HEAD" })
      expect([path, page.status, await page.text()]).toEqual([path, (await browser.get(path)).status, ""])
    }
  })

  it("leaves unknown paths below the base path to the application", async () => {
    const { status } = await new Browser({ origin: example.origin }).get(`${base}/nothing-here`)
    expect(status).toBe(404)
  })
})
