import { TEST_SECRET } from "../support/apps.js"
import { Browser } from "../support/browser.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../support/real-provider.js"
import { signInAtDevProvider } from "./support/dev-person.js"
import { freePortPair, type RunningExample, runExample } from "./support/run-example.js"

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

  it("responds 403 to users without the role", async () => {
    const [ada, bob] = await Promise.all([signIn("ada"), signIn("bob")])
    expect(await ada.page.json()).toEqual({ hello: "Ada" })
    expect(bob.page.status).toBe(403)
    expect(await (await bob.browser.get("/me")).json()).toMatchObject({ name: "Bob", roles: ["member"] })
  })

  it("calls the realm's API with the user's access token", async () => {
    const { browser } = await signIn("ada")
    expect(await (await browser.get("/userinfo")).json()).toMatchObject({ email: "ada@example.com" })
    expect((await new Browser({ origin: example.origin }).get("/userinfo")).status).not.toBe(200)
  })

  it("ends the session at the realm too and returns", async () => {
    const { browser } = await signIn("ada")
    const home = await (await browser.get("/")).text()
    const ended = await browser.submit(browser.form(home, "/auth/signout"))
    expect(ended.location).toMatch(/\/(session\/end|end-session|logout)\?client_id=/)
    const back = await browser.get(ended.location, { follow: true })
    expect(back.url).toBe(`${example.origin}/`)
    expect(await back.text()).toContain("Sign in")
  })

  it("does not redirect to another site after the sign-out", async () => {
    const { browser } = await signIn("bob")
    const home = await (await browser.get("/")).text()
    const form = browser.form(home, "/auth/signout")
    const ended = await browser.submit(form, { callbackUrl: "https://evil.example/" })
    expect(new URL(ended.location).origin).toBe(example.origin)
  })
})

describe("examples/keycloak with a real realm in production", () => {
  const CLIENT = { client_id: "shop", client_secret: "a secret of thirty-two letters or more" }
  let provider: RealProvider
  let example: RunningExample

  beforeAll(async () => {
    provider = await startRealProvider({ path: "/realms/main" })
    const port = await freePortPair()
    const site = `http://localhost:${port}`
    await provider.addClient({ ...CLIENT, redirect_uris: [`${site}/auth/callback/keycloak`] })
    example = await runExample("examples/keycloak/server.js", {
      ...{ NODE_ENV: "production", PORT: String(port), AUTH_URL: site, AUTH_SECRET: TEST_SECRET },
      ...{ AUTH_KEYCLOAK_ISSUER: provider.issuer },
      ...{ AUTH_KEYCLOAK_ID: CLIENT.client_id, AUTH_KEYCLOAK_SECRET: CLIENT.client_secret },
    })
  })
  afterAll(async () => {
    await example?.stop()
    await provider?.close()
  })

  it.each([
    ["alice", 200],
    ["bob", 403],
  ] as const)("responds to %s at /admin with %i, according to the roles of the realm", async (person, status) => {
    const browser = new Browser({ origin: example.origin })
    const page = await browser.get("/auth/signin")
    const start = await browser.submit(browser.form(await page.text(), "/auth/signin/keycloak"))
    await browser.get(await signInAtProvider(browser, start.location, person))
    expect((await browser.get("/admin")).status).toBe(status)
  })
})
