import type { AuthConfig } from "../../lib/types.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { type Person, type RealProvider, signInAtProvider, startRealProvider } from "../support/real-provider.js"
import { deepFreeze, guardProcess } from "./support/guard.js"
import {
  begin,
  comeBack,
  flowCookies,
  goAndAgree,
  param,
  type SiteOptions,
  sessionCookies,
  sessionOf,
  signIn,
  startSite,
} from "./support/site.js"

guardProcess()

let real: RealProvider
let op: FaultyProvider
beforeAll(async () => {
  real = await startRealProvider()
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => Promise.all([real.close(), op.close()]))

let clients = 0

/** An application that is registered at the real provider. */
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

async function signInReally(browser: Browser, who: Person, callbackUrl = "/"): Promise<string> {
  const { location } = await begin(browser, { callbackUrl })
  const page = await browser.get(await signInAtProvider(browser, location, who))
  return page.location
}

describeServers("OpenID Connect with a real provider", (start) => {
  it("signs in, lands where the person wanted to go, and signs out", async () => {
    const { app, failures } = await register(start)
    const browser = app.browser()
    expect(await sessionOf(browser)).toBeNull()
    expect(await signInReally(browser, "alice", "/cart?step=2")).toBe(`${app.origin}/cart?step=2`)
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

  it("signs in by the button of the sign-in page", async () => {
    const { app } = await register(start)
    const browser = app.browser()
    const html = await (await browser.get("/auth/signin?callbackUrl=/there")).text()
    const page = await browser.submit(browser.form(html, "/auth/signin/oidc"))
    const back = await browser.get(await signInAtProvider(browser, page.location, "bob"))
    expect(back.location).toBe(`${app.origin}/there`)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Bob" } })
  })

  it("keeps two people in two browsers apart", async () => {
    const { app } = await register(start)
    const [a, b] = [app.browser(), app.browser()]
    await Promise.all([signInReally(a, "alice"), signInReally(b, "bob")])
    expect([await sessionOf(a), await sessionOf(b)]).toMatchObject([
      { user: { name: "Alice" } },
      { user: { name: "Bob" } },
    ])
  })

  it("finishes two tabs that were begun one after the other", async () => {
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

  it("takes the profile from userinfo with idToken: false", async () => {
    const { app } = await register(start, {}, { idToken: false })
    const browser = app.browser()
    await signInReally(browser, "bob")
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Bob", email: "bob@example.com" } })
    expect(real.requests.some(({ path }) => path === "/me")).toBe(true)
  })

  it("brings back a person who refuses, to try again", async () => {
    const { app } = await register(start)
    const browser = app.browser()
    const { location } = await begin(browser)
    const page = await browser.get(await signInAtProvider(browser, location, "nobody"))
    expect(page.location).toBe(`${app.origin}/auth/signin?error=OAuthCallbackError`)
    await signInReally(browser, "alice")
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("tells a client that asks for JSON where to go", async () => {
    const { app } = await register(start)
    const browser = app.browser()
    const headers = { "x-auth-return-redirect": "1" }
    const begun = await begin(browser, { headers, callbackUrl: "/spa" })
    expect([begun.status, begun.headers.get("content-type")]).toEqual([200, "application/json"])
    const { url } = Object(await begun.json())
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

describeServers("sign-ins under way", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("are five at most, the oldest going first", async () => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now } })
    const browser = one.app.browser()
    const tabs: string[] = []
    for (let i = 0; i < 7; i++) {
      now += 1000
      tabs.push(await op.authorize((await begin(browser, { callbackUrl: `/${i}` })).location))
    }
    expect(flowCookies(browser)).toHaveLength(5)
    for (const [i, back] of tabs.entries()) {
      const page = await comeBack(browser, op, back)
      if (i < 2) expect(param(page.location, "error")).toBe("OAuthCallbackError")
      else expect(page.location).toBe(`${one.app.origin}/${i}`)
    }
    expect(flowCookies(browser)).toEqual([])
  })

  it("end after fifteen minutes", async () => {
    let now = Date.now()
    // Until then a browser drops the cookie: this one forgets to.
    const one = await site({ config: { clock: () => now } })
    const browser = one.app.browser({ now: () => 0 })
    const [early, late] = [await goAndAgree(browser, op), await goAndAgree(browser, op)]
    now += 14 * 60_000
    op.set({ clockOffsetSeconds: 14 * 60 })
    await comeBack(browser, op, early)
    expect(await sessionOf(browser)).not.toBeNull()
    one.forget()
    now += 2 * 60_000
    const page = await comeBack(browser, op, late)
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect(one.logText()).toContain("older than 15 minutes")
    expect(one.failures().map(({ level }) => level)).toEqual(["warn"])
    expect(flowCookies(browser)).toEqual([])
  })

  it("have cookies that expire with them, and are sealed", async () => {
    const { app } = await site()
    const browser = app.browser()
    const page = await begin(browser)
    const [header] = page.headers.getSetCookie().filter((cookie) => /authjs\.state\./.test(cookie))
    expect(header).toMatch(/; Max-Age=900; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
    const [cookie] = flowCookies(browser)
    expect(cookie?.name).not.toContain(param(page.location, "state"))
    expect(cookie?.value).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it("survive a change of the first secret", async () => {
    const next = "another secret for tests, of more than 32 letters"
    const before = await site({ origin: "http://app.test" })
    const after = await site({ origin: "http://app.test", config: { secret: [next, TEST_SECRET] } })
    const [old, fresh] = [before.app.browser(), after.app.browser()]
    const back = await goAndAgree(old, op)
    for (const cookie of old.jar.all()) fresh.jar.put(cookie)
    await comeBack(fresh, op, back)
    expect(await sessionOf(fresh)).not.toBeNull()
  })

  it("pass parameters of the sign-in address on, and scope where the provider allows it", async () => {
    const query = "?login_hint=a%40b.test&prompt=login&scope=openid+admin&state=evil"
    const plain = await site()
    const open = await site({ providers: [op.oidc({ allowScopeOverride: true })] })
    const [a, b] = [await begin(plain.app.browser(), { query }), await begin(open.app.browser(), { query })]
    expect([param(a.location, "login_hint"), param(a.location, "prompt")]).toEqual(["a@b.test", "login"])
    expect([param(a.location, "scope"), param(b.location, "scope")]).toEqual(["openid profile email", "openid admin"])
    for (const { location } of [a, b]) expect(param(location, "state")).not.toBe("evil")
  })

  it("change nothing on a HEAD", async () => {
    const one = await site()
    const browser = one.app.browser()
    const back = await goAndAgree(browser, op)
    const page = await browser.request(back, { method: "HEAD", from: op.issuer })
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []])
    await comeBack(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})

describeServers("the application's own functions at a sign-in", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, { sessions: "jwt", ...options })

  it("are called in the contract's order, with its arguments", async () => {
    const calls: [string, Record<string, unknown>][] = []
    const note = (name: string, params: object) => calls.push([name, { ...params }])
    const callbacks: AuthConfig["callbacks"] = {
      redirect(params) {
        note("redirect", params)
        return params.url.startsWith("/") ? params.baseUrl + params.url : params.url
      },
      signIn(params) {
        note("signIn", params)
        return true
      },
      jwt(params) {
        note("jwt", params)
        return params.token
      },
    }
    const events = { signIn: (message: object) => void note("event signIn", message) }
    const profile = (claims: object, tokens: object) => {
      note("profile", { claims, tokens })
      return { id: "p-1", name: "Mapped", email: "ALICE@Example.com", image: "https://i.test/a.png" }
    }
    const one = await site({
      providers: [op.oidc({ profile })],
      config: { callbacks, events, pages: { newUser: "/welcome" } },
    })
    const browser = one.app.browser()
    const back = await goAndAgree(browser, op, { callbackUrl: "/cart" })
    calls.length = 0
    const page = await comeBack(browser, op, back)
    expect(page.location).toBe(`${one.app.origin}/cart`)
    expect(calls.map(([name]) => name)).toEqual(["redirect", "profile", "signIn", "jwt", "event signIn"])
    const [redirect, mapped, asked, jwt, told] = calls.map(([, params]) => params)
    expect(redirect).toEqual({ url: `${one.app.origin}/cart`, baseUrl: one.app.origin })
    const tokens = {
      ...{ access_token: expect.stringMatching(/^at-/), refresh_token: expect.stringMatching(/^rt-/) },
      ...{ id_token: expect.stringMatching(/^eyJ/), token_type: "bearer", scope: "openid profile email" },
      ...{ expires_in: 3600, expires_at: expect.any(Number) },
    }
    const claims = expect.objectContaining({ sub: "alice", iss: op.issuer, nonce: expect.any(String) })
    expect(mapped).toEqual({ claims, tokens })
    const user = {
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: "Mapped",
      email: "alice@example.com",
      image: "https://i.test/a.png",
    }
    const account = { ...tokens, provider: "oidc", type: "oidc", providerAccountId: "p-1" }
    expect(asked).toEqual({ user, account, profile: claims })
    const token = { name: user.name, email: user.email, picture: user.image, sub: user.id }
    expect(jwt).toEqual({ token, user, account, profile: claims, trigger: "signIn" })
    expect(told).toEqual({ user, account, profile: claims })
    expect(Math.abs(Object(asked?.["account"]).expires_at - Date.now() / 1000 - 3600)).toBeLessThan(10)
  })

  it.each([
    ["returns false", () => false, /refused/],
    [
      "throws",
      () => {
        throw new Error("no beards today")
      },
      /no beards today/,
    ],
    [
      "rejects",
      async () => {
        throw new Error("no beards today")
      },
      /no beards today/,
    ],
  ])("refuse when signIn %s", async (_, answer: () => boolean | Promise<boolean>, reason) => {
    const one = await site({ config: { callbacks: { signIn: answer } } })
    const browser = one.app.browser()
    const page = await signIn(browser, op)
    expect(page.location).toBe(`${one.app.origin}/auth/error?error=AccessDenied`)
    expect([sessionCookies(browser), flowCookies(browser), one.events]).toEqual([[], [], []])
    expect(one.failures()).toHaveLength(1)
    expect(Object(one.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
    expect(one.logText()).toMatch(reason)
  })

  it.each([
    ["/upgrade?plan=1", "/upgrade?plan=1"],
    ["https://evil.test/x", ""],
  ])("send the person elsewhere when signIn returns %s, as far as redirect lets them", async (answer, path) => {
    const one = await site({ config: { callbacks: { signIn: () => answer } } })
    const browser = one.app.browser()
    const page = await signIn(browser, op)
    expect(page.location.replace(/\/$/, "")).toBe(one.app.origin + path)
    expect([sessionCookies(browser), flowCookies(browser), one.events]).toEqual([[], [], []])
  })

  it("have no session when jwt returns null, and their event all the same", async () => {
    const one = await site({ config: { callbacks: { jwt: () => null } } })
    const browser = one.app.browser()
    expect((await signIn(browser, op, { callbackUrl: "/cart" })).location).toBe(`${one.app.origin}/cart`)
    expect([sessionCookies(browser), one.events.map(({ name }) => name)]).toEqual([[], ["signIn"]])
  })
})
