import { Browser } from "../support/browser.js"
import { signInAtDevProvider } from "./support/dev-person.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describe("examples/keycloak", () => {
  let example: RunningExample

  beforeAll(async () => {
    example = await runExample("examples/keycloak/server.js")
  })
  afterAll(() => example?.stop())

  const signIn = async (as: string) => {
    const browser = new Browser({ origin: example.origin })
    return { browser, page: await signInAtDevProvider(browser, { path: "/admin", as, provider: "keycloak" }) }
  }

  it("lets those in who have the role, and tells the others 403", async () => {
    const [ada, bob] = await Promise.all([signIn("ada"), signIn("bob")])
    expect(await ada.page.json()).toEqual({ hello: "Ada" })
    expect(bob.page.status).toBe(403)
    expect(await (await bob.browser.get("/me")).json()).toMatchObject({ name: "Bob", roles: ["member"] })
  })

  it("ends the session at the realm too, and comes back", async () => {
    const { browser } = await signIn("ada")
    const home = await (await browser.get("/")).text()
    const ended = await browser.submit(browser.form(home, "/auth/signout"))
    expect(ended.location).toMatch(/\/(session\/end|end-session|logout)\?client_id=/)
    const back = await browser.get(ended.location, { follow: true })
    expect(back.url).toBe(`${example.origin}/`)
    expect(await back.text()).toContain("Sign in")
  })

  it("sends nobody elsewhere after the sign-out", async () => {
    const { browser } = await signIn("bob")
    const home = await (await browser.get("/")).text()
    const form = browser.form(home, "/auth/signout")
    const ended = await browser.submit(form, { callbackUrl: "https://evil.example/" })
    expect(new URL(ended.location).origin).toBe(example.origin)
  })
})
