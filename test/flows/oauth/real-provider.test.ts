import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { type Person, type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { sqlite } from "../../support/stores/sql.js"
import { deepFreeze, guardProcess } from "../support/guard.js"
import { begin, flowCookies, sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

let real: RealProvider
beforeAll(async () => {
  real = await startRealProvider()
})
afterAll(() => real.close())

let clients = 0

/** Starts an application and registers it at the real provider. */
async function register(start: Start, more: Partial<AuthConfig> = {}, overrides = {}) {
  const clientId = `client-${++clients}`
  const clientSecret = `secret of ${clientId}, which has more than 32 characters`
  const { logger, records } = recordingLogger()
  const providers = [real.oidc({ id: "oidc", clientId, clientSecret, ...overrides })]
  const config = deepFreeze({ providers, secret: TEST_SECRET, logger, ...more })
  const app = await start(config as AuthConfig)
  const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
  await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris })
  const failures = () => [...records]
  return { app, failures }
}

async function completeSignIn(browser: Browser, who: Person, callbackUrl = "/"): Promise<string> {
  const { location } = await begin(browser, { callbackUrl })
  const page = await browser.get(await signInAtProvider(browser, location, who))
  return page.location
}

describeServers("OpenID Connect with a real provider", (start) => {
  it("signs in, redirects to the return URL, and signs out", async () => {
    const { app, failures } = await register(start)
    const browser = app.browser()
    expect(await sessionOf(browser)).toBeNull()
    expect(await completeSignIn(browser, "alice", "/cart?step=2")).toBe(`${app.origin}/cart?step=2`)
    const session = await sessionOf(browser)
    expect(session).toEqual({
      user: { name: "Alice", email: "alice@example.com" },
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    const days = (Date.parse(session?.expires ?? "") - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
    const out = await browser.post("/auth/signout", { csrfToken: await browser.csrf(), callbackUrl: "/bye" })
    expect([out.status, out.location]).toEqual([302, `${app.origin}/bye`])
    expect([await sessionOf(browser), sessionCookies(browser)]).toEqual([null, []])
    expect(failures()).toEqual([])
  })

  it("signs in with the button of the sign-in page", async () => {
    const { app } = await register(start)
    const browser = app.browser()
    const html = await (await browser.get("/auth/signin?callbackUrl=/there")).text()
    const page = await browser.submit(browser.form(html, "/auth/signin/oidc"))
    const back = await browser.get(await signInAtProvider(browser, page.location, "bob"))
    expect(back.location).toBe(`${app.origin}/there`)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Bob" } })
  })

  it("keeps the sessions of two browsers separate", async () => {
    const { app } = await register(start)
    const [a, b] = [app.browser(), app.browser()]
    await Promise.all([completeSignIn(a, "alice"), completeSignIn(b, "bob")])
    expect([await sessionOf(a), await sessionOf(b)]).toMatchObject([
      { user: { name: "Alice" } },
      { user: { name: "Bob" } },
    ])
  })

  it("finishes two sign-ins that were started in two tabs", async () => {
    const { app, failures } = await register(start)
    const browser = app.browser()
    const [a, b] = [await begin(browser, { callbackUrl: "/a" }), await begin(browser, { callbackUrl: "/b" })]
    for (const [tab, lands] of [
      [a, "/a"],
      [b, "/b"],
    ] as const) {
      const page = await browser.get(await signInAtProvider(browser, tab.location, "alice"))
      expect(page.location).toBe(app.origin + lands)
    }
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    expect([flowCookies(browser), failures()]).toEqual([[], []])
  })

  it("stores the user and the session in SQLite", async () => {
    const { adapter, counts, close } = await sqlite.create()
    const { app, failures } = await register(start, { adapter, session: { strategy: "database" } })
    const browser = app.browser()
    expect(await completeSignIn(browser, "alice", "/cart")).toBe(`${app.origin}/cart`)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice", email: "alice@example.com" } })
    expect(await counts()).toMatchObject({ users: 1, accounts: 1, sessions: 1 })
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([await sessionOf(browser), await counts()]).toMatchObject([null, { users: 1, sessions: 0 }])
    expect(failures()).toEqual([])
    await close()
  })

  it("reads the profile from userinfo with idToken: false", async () => {
    const { app } = await register(start, {}, { idToken: false })
    const browser = app.browser()
    await completeSignIn(browser, "bob")
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Bob", email: "bob@example.com" } })
    expect(real.requests.some(({ path }) => path === "/me")).toBe(true)
  })

  it("redirects a user who denies consent to the sign-in page, where a new sign-in works", async () => {
    const { app } = await register(start)
    const browser = app.browser()
    const { location } = await begin(browser)
    const page = await browser.get(await signInAtProvider(browser, location, "nobody"))
    expect(page.location).toBe(`${app.origin}/auth/signin?error=OAuthCallbackError`)
    await completeSignIn(browser, "alice")
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("returns redirect URLs as JSON if the client sends x-auth-return-redirect", async () => {
    const { app } = await register(start)
    const browser = app.browser()
    const headers = { "x-auth-return-redirect": "1" }
    const first = await begin(browser, { headers, callbackUrl: "/spa" })
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "application/json"])
    const { url } = Object(await first.json())
    expect(url.startsWith(`${real.issuer}/auth?`)).toBe(true)
    const page = await browser.get(await signInAtProvider(browser, url, "alice"), { headers })
    expect([page.status, await page.json()]).toEqual([200, { url: `${app.origin}/spa` }])
    expect(await sessionOf(browser)).not.toBeNull()
    const wrong = await browser.get("/auth/callback/oidc?code=1&state=2", { headers })
    expect(wrong.status).toBe(200)
    const { pathname, searchParams } = new URL(Object(await wrong.json()).url)
    expect([pathname, searchParams.get("error")]).toEqual(["/auth/signin", "OAuthCallbackError"])
    const fields = { csrfToken: await browser.csrf(), callbackUrl: "/bye" }
    const out = await browser.post("/auth/signout", fields, { headers })
    expect([out.status, await out.json()]).toEqual([200, { url: `${app.origin}/bye` }])
    expect(await sessionOf(browser)).toBeNull()
  })
})
