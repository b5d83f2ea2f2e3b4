/**
 * Sign-out at the provider (OpenID Connect RP-Initiated Logout 1.0).
 *
 * @module
 */
import { decodeJwt } from "jose"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { decode } from "../../../lib/jwt.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store, StoreRecord } from "../../../lib/store/store.js"
import type { AuthConfig } from "../../../lib/types.js"
import {
  describeServer,
  describeServers,
  type RunningApp,
  recordingLogger,
  type Start,
  type StartOptions,
  TEST_SECRET,
} from "../../support/apps.js"
import type { Browser, Fields, Page } from "../../support/browser.js"
import {
  type RealProvider,
  signInAtProvider,
  signOutAtProvider,
  startRealProvider,
} from "../../support/real-provider.js"
import { createTerms, meet, requirementPages } from "../../support/requirements.js"
import { guardProcess } from "../support/guard.js"
import { begin, flowCookies, named, param, sessionCookies, sessionOf, signIn, withParams } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const END_SESSION = { end_session_endpoint: "https://op.test/end?tenant=a" }

/** Starts an application whose provider supports logout. `stored` lists all records that were written. */
async function startSite(start: Start, config: Partial<AuthConfig> = {}, options: StartOptions = {}) {
  op.set({ discovery: (document) => ({ ...document, ...END_SESSION }) })
  const { logger, records, text, forget } = recordingLogger()
  const { store, stored } = recordingStore()
  const providers = [op.oidc({ logout: true })]
  const app = await start({ providers, secret: TEST_SECRET, logger, store, ...config }, options)
  forget()
  return { app, records, text, store, stored }
}

function recordingStore() {
  const store = MemoryStore()
  const stored: string[] = []
  const recording = new Proxy(store, {
    get(target, name) {
      if (name !== "set") return Reflect.get(target, name)
      return (...args: Parameters<Store["set"]>) => {
        stored.push(JSON.stringify(args))
        return target.set(...args)
      }
    },
  })
  return { store: recording as Store, stored }
}

async function signOut(browser: Browser, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Page> {
  const csrfToken = await browser.csrf()
  return browser.post("/auth/signout", { csrfToken, ...Object.fromEntries(new URLSearchParams(fields)) }, { headers })
}

const isSignedIn = async (browser: Browser) => (await sessionOf(browser)) !== null

/** Signs in, and returns the browser with the id_token that the provider issued. */
async function signInUser(app: RunningApp, id = "oidc"): Promise<{ browser: Browser; idToken: string }> {
  let idToken = ""
  op.set({
    token(json) {
      idToken = String(json["id_token"])
      return json
    },
  })
  const browser = app.browser()
  await signIn(browser, op, { id })
  return { browser, idToken }
}

/** Opens a return URL like the provider's redirect. */
const openReturnUrl = (browser: Browser, url: string) => browser.get(url, { from: "https://op.test" })

const buildReturnUrl = (location: string) =>
  `${param(location, "post_logout_redirect_uri")}?state=${param(location, "state")}`

const listCodes = (records: { level: string; error?: Error }[]) =>
  records.map(({ level, error }) => [level, Object(error).messageCode])

describeServers("sign-out at the provider", (start) => {
  it.each(["jwt", "database"] as const)("ends the session before the redirect, with strategy %s", async (strategy) => {
    const { app, records } = await startSite(start, { adapter: MemoryAdapter(), session: { strategy } })
    const { browser, idToken } = await signInUser(app)
    const page = await signOut(browser)
    expect([sessionCookies(browser), await isSignedIn(browser)]).toEqual([[], false])
    const { origin, pathname, searchParams } = new URL(page.location)
    expect([page.status, origin + pathname]).toEqual([302, "https://op.test/end"])
    expect(Object.fromEntries(searchParams)).toEqual({
      tenant: "a",
      id_token_hint: idToken,
      client_id: op.client.clientId,
      post_logout_redirect_uri: `${app.origin}/auth/post-logout/oidc`,
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    const returned = await openReturnUrl(browser, buildReturnUrl(page.location))
    expect([returned.status, returned.location]).toEqual([302, `${app.origin}/`])
    expect([flowCookies(browser), records]).toEqual([[], []])
  })

  it("returns to the callbackUrl of the form, if it is on this site", async () => {
    const { app } = await startSite(start)
    for (const [callbackUrl, target] of [
      ["/bye?a=1", `${app.origin}/bye?a=1`],
      ["https://evil.test/", `${app.origin}/`],
      ["//evil.test", `${app.origin}/evil.test`],
    ] as const) {
      const { browser } = await signInUser(app)
      const { location } = await signOut(browser, { callbackUrl })
      const returned = await openReturnUrl(browser, `${buildReturnUrl(location)}&callbackUrl=/other`)
      expect([callbackUrl, returned.location]).toEqual([callbackUrl, target])
    }
  })

  it("asks the redirect callback for the return URL", async () => {
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) =>
      url === "https://shop.test/bye" ? url : baseUrl
    const { app } = await startSite(start, { callbacks: { redirect } })
    const { browser } = await signInUser(app)
    const { location } = await signOut(browser, { callbackUrl: "https://shop.test/bye" })
    expect((await openReturnUrl(browser, buildReturnUrl(location))).location).toBe("https://shop.test/bye")
  })

  it("returns the provider's URL to scripts", async () => {
    const { app } = await startSite(start)
    const { browser, idToken } = await signInUser(app)
    const page = await signOut(browser, {}, { "x-auth-return-redirect": "1" })
    const { url } = JSON.parse(await page.text())
    expect([page.status, param(url, "id_token_hint")]).toEqual([200, idToken])
    expect((await openReturnUrl(browser, buildReturnUrl(url))).location).toBe(`${app.origin}/`)
  })

  it("lets two tabs sign out one after the other", async () => {
    const { app, records } = await startSite(start)
    const [one, two] = [await signInUser(app), await signInUser(app)]
    const first = (await signOut(one.browser, { callbackUrl: "/one" })).location
    for (const { name, value } of two.browser.cookies()) one.browser.setCookie(name, value)
    const second = (await signOut(one.browser, { callbackUrl: "/two" })).location
    expect((await openReturnUrl(one.browser, buildReturnUrl(second))).location).toBe(`${app.origin}/two`)
    expect((await openReturnUrl(one.browser, buildReturnUrl(first))).location).toBe(`${app.origin}/one`)
    expect(records).toEqual([])
  })
})

describeServers("the return from the provider", (start) => {
  it.each<[string, (url: string) => string]>([
    ["without a state", (url) => withParams(url, { state: undefined })],
    ["with an empty state", (url) => withParams(url, { state: "" })],
    ["with another state", (url) => withParams(url, { state: "x".repeat(43) })],
    ["with a repeated state", (url) => `${url}&state=${"x".repeat(43)}`],
    ["to the path of another provider", (url) => url.replace("/oidc?", "/second?")],
  ])("leads to the front page %s", async (_, change) => {
    const providers = [op.oidc({ logout: true }), named(op.oidc({ logout: true }), "second")]
    const { app, records, text } = await startSite(start, { providers })
    const { browser } = await signInUser(app)
    const { location } = await signOut(browser, { callbackUrl: "/bye" })
    const page = await openReturnUrl(browser, change(`${buildReturnUrl(location)}&callbackUrl=/other`))
    expect([page.status, page.location]).toEqual([302, `${app.origin}/`])
    expect(listCodes(records)).toEqual([["warn", "logout-state-invalid"]])
    expect(text()).not.toContain(param(location, "state"))
  })

  it("is refused in another browser, a second time, and after 15 minutes", async () => {
    let now = Date.now()
    const { app, records } = await startSite(start, { clock: () => now })
    const { browser } = await signInUser(app)
    const url = buildReturnUrl((await signOut(browser, { callbackUrl: "/bye" })).location)
    const thief = app.browser()
    const late = browser.clone()
    expect((await openReturnUrl(thief, url)).location).toBe(`${app.origin}/`)
    expect((await openReturnUrl(browser, url)).location).toBe(`${app.origin}/bye`)
    expect((await openReturnUrl(browser, url)).location).toBe(`${app.origin}/`)
    now += 16 * 60_000
    expect((await openReturnUrl(late, url)).location).toBe(`${app.origin}/`)
    expect(listCodes(records)).toEqual(Array(3).fill(["warn", "logout-state-invalid"]))
  })

  it("does not change a session, and does not accept the state of a sign-in", async () => {
    const { app } = await startSite(start)
    const { browser } = await signInUser(app)
    const state = param((await begin(browser, { callbackUrl: "/in" })).location, "state")
    const page = await openReturnUrl(browser, `${app.origin}/auth/post-logout/oidc?state=${state}`)
    expect([page.location, await isSignedIn(browser)]).toEqual([`${app.origin}/`, true])
  })

  it("is served only for GET and HEAD, and only for providers with the option", async () => {
    const { app } = await startSite(start, { providers: [op.oidc({ logout: true }), named(op.oidc(), "second")] })
    const { browser } = await signInUser(app)
    const url = buildReturnUrl((await signOut(browser, { callbackUrl: "/bye" })).location)
    const head = await browser.request(url, { method: "HEAD" })
    expect([head.headers.getSetCookie(), (await openReturnUrl(browser, url)).location]).toEqual([
      [],
      `${app.origin}/bye`,
    ])
    const posted = await browser.post("/auth/post-logout/oidc")
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    for (const path of ["/auth/post-logout", "/auth/post-logout/second", "/auth/post-logout/third"])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404])
  })
})

describeServers("the id_token", (start) => {
  it.each(["jwt", "database"] as const)("is only in the store, and encrypted, with strategy %s", async (strategy) => {
    const outputs: string[] = []
    const { logger, text } = recordingLogger()
    const { app, stored, store } = await startSite(start, { adapter: MemoryAdapter(), session: { strategy }, logger })
    const { browser, idToken } = await signInUser(app)
    const [header, payload, signature] = idToken.split(".") as [string, string, string]
    const cookies = browser.cookies().map(({ value }) => value)
    outputs.push(text(), JSON.stringify(await sessionOf(browser)), ...stored, ...cookies)
    if (strategy === "jwt") {
      const token = browser.cookie("authjs.session-token") ?? ""
      outputs.push(JSON.stringify(await decode({ token, secret: TEST_SECRET, salt: "authjs.session-token" })))
    }
    for (const page of ["/auth/session", "/auth/sessions", "/auth/signout"])
      outputs.push(await (await browser.get(page)).text())
    for (const part of [payload, signature, `${header}.`]) expect(outputs.join("\n")).not.toContain(part)
    const records = stored.map((line): [string, string, Partial<StoreRecord>] => JSON.parse(line))
    const [kind, key] = records.find(([name, , { value }]) => name === "session" && value?.includes("logoutHint")) ?? []
    expect(kind).toBe("session")
    await signOut(browser)
    expect(await store.get("session", String(key))).toBeNull()
    for (const part of [payload, signature]) expect(text()).not.toContain(part)
  })

  it("is not stored without the option", async () => {
    const { app, stored } = await startSite(start, { providers: [op.oidc()] })
    const { browser } = await signInUser(app)
    expect(stored.filter((line) => line.includes("logoutHint"))).toEqual([])
    expect((await signOut(browser)).location).toBe(`${app.origin}/`)
  })

  it("is omitted if it is too long for a URL", async () => {
    const { app } = await startSite(start)
    op.set({ claims: (claims) => ({ ...claims, groups: Array(500).fill("a group of users") }) })
    const { browser } = await signInUser(app)
    const { location } = await signOut(browser)
    expect([...new URL(location).searchParams.keys()]).toEqual([
      ...["tenant", "client_id", "post_logout_redirect_uri", "state"],
    ])
  })

  it("is omitted after the secret was replaced, and is sent after a rotation of the secret", async () => {
    const fresh = "another secret for tests, of forty-eight letters"
    for (const [secret, hasHint] of [
      [[fresh, TEST_SECRET], true],
      [[fresh], false],
    ] as const) {
      const { store } = recordingStore()
      const adapter = MemoryAdapter()
      const shared = { store, adapter, session: { strategy: "database" } } as const
      const { browser } = await signInUser((await startSite(start, shared)).app)
      const { app } = await startSite(start, { ...shared, secret: [...secret] })
      const later = app.browser()
      for (const { name, value } of browser.cookies()) if (!name.includes("csrf")) later.setCookie(name, value)
      const { location } = await signOut(later)
      expect([hasHint, param(location, "id_token_hint") !== ""]).toEqual([hasHint, hasHint])
    }
  })

  it("is kept while a sign-in waits for a requirement", async () => {
    const { app, stored } = await startSite(start, { requirements: [createTerms()] }, requirementPages())
    const { browser, idToken } = await signInUser(app)
    await meet(browser)
    expect(await isSignedIn(browser)).toBe(true)
    expect(stored.join("\n")).not.toContain(idToken.split(".")[2])
    expect(param((await signOut(browser)).location, "id_token_hint")).toBe(idToken)
  })

  it("is still that of the sign-in after the user has connected another account", async () => {
    const providers = [op.oidc({ logout: true }), named(op.oidc({ logout: true }), "second")]
    for (const strategy of ["jwt", "database"] as const) {
      const { app } = await startSite(start, { providers, adapter: MemoryAdapter(), session: { strategy } })
      const { browser, idToken } = await signInUser(app)
      op.set({ user: { sub: "other", name: "Alice", email: "alice@other.test" } })
      await signIn(browser, op, { id: "second" })
      const { location } = await signOut(browser)
      expect([param(location, "id_token_hint"), buildReturnUrl(location)]).toEqual([
        idToken,
        expect.stringContaining("/post-logout/oidc?"),
      ])
    }
  })
})

describeServers("sign-out stays on this site", (start) => {
  it("if the session was not opened with a provider that has the option", async () => {
    const providers = [op.oidc({ logout: true }), named(op.oidc(), "second")]
    const { app, records } = await startSite(start, { providers })
    const { browser } = await signInUser(app, "second")
    expect((await signOut(browser, { callbackUrl: "/bye" })).location).toBe(`${app.origin}/bye`)
    expect((await signOut(app.browser())).location).toBe(`${app.origin}/`)
    expect(records).toEqual([])
  })

  it("if the session has already ended", async () => {
    const { app } = await startSite(start)
    const { browser } = await signInUser(app)
    const twin = browser.clone()
    expect(new URL((await signOut(browser)).location).host).toBe("op.test")
    expect((await signOut(twin)).location).toBe(`${app.origin}/`)
  })

  it("if the provider has no endpoint, which is logged once", async () => {
    const { app, records } = await startSite(start)
    op.set({ discovery: (document) => document })
    await begin(app.browser())
    const expected = [["error", "logout-endpoint-missing"]]
    expect(listCodes(records)).toEqual(expected)
    for (const _ of [1, 2]) {
      const { browser } = await signInUser(app)
      expect((await signOut(browser)).location).toBe(`${app.origin}/`)
      expect(await isSignedIn(browser)).toBe(false)
    }
    expect(listCodes(records)).toEqual(expected)
  })

  it.each(["reset", "hang", { status: 500 }] as const)("if the provider's discovery fails: %s", async (fault) => {
    const [{ store }, adapter] = [recordingStore(), MemoryAdapter()]
    const shared = { store, adapter, session: { strategy: "database" } } as const
    const { browser } = await signInUser((await startSite(start, shared)).app)
    // Another process has not loaded the metadata yet.
    const { app, records } = await startSite(start, shared)
    const later = app.browser()
    for (const { name, value } of browser.cookies()) later.setCookie(name, value)
    op.set({ fault: { discovery: fault } })
    const startedAt = performance.now()
    const page = await signOut(later)
    expect([page.status, page.location, await isSignedIn(later)]).toEqual([302, `${app.origin}/`, false])
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(records.map(({ level, code, error }) => [level, code, Object(error).messageCode])).toEqual([
      ["error", "SignOutError", "provider-unreachable"],
    ])
  })

  it("if the endpoint is not https", async () => {
    const { app, records } = await startSite(start)
    op.set({ discovery: (document) => ({ ...document, end_session_endpoint: "http://op.test/end" }) })
    const { browser } = await signInUser(app)
    expect((await signOut(browser)).location).toBe(`${app.origin}/`)
    expect(listCodes(records)).toEqual([["error", "provider-url-insecure"]])
  })

  it("if the store fails, because the session has not ended", async () => {
    const memory = MemoryStore()
    let isDown = false
    const store = new Proxy(memory, {
      get: (target, name) =>
        isDown && name === "delete" ? () => Promise.reject(new Error("connection refused")) : Reflect.get(target, name),
    }) as Store
    const { app, records } = await startSite(start, { store })
    const { browser } = await signInUser(app)
    isDown = true
    const page = await signOut(browser)
    expect(new URL(page.location).origin).toBe(app.origin)
    expect(listCodes(records)).toEqual([["error", "sign-out-failed"]])
  })
})

describeServer("the option logout", "Express 5", (start) => {
  it("can be the URL of the endpoint, which then needs no metadata", async () => {
    const [{ store }, adapter] = [recordingStore(), MemoryAdapter()]
    const providers = [op.oidc({ logout: "https://login.test/end" })]
    const { app, records } = await startSite(start, { providers, store, adapter })
    const { browser, idToken } = await signInUser(app)
    op.set({ fault: { discovery: "reset" } })
    const { location } = await signOut(browser)
    expect([new URL(location).host, param(location, "id_token_hint")]).toEqual(["login.test", idToken])
    expect(records).toEqual([])
  })

  it("works through a redirect proxy", async () => {
    const redirectProxyUrl = "https://auth.example.test/auth"
    const shared = { redirectProxyUrl, redirectProxyOrigins: ["https://*.example.test"], trustHost: true as const }
    const preview = await startSite(start, shared, { origin: "https://preview-1.example.test" })
    const proxy = await startSite(start, shared, { origin: "https://auth.example.test" })
    const [browser, atProxy] = [preview.app.browser({ secure: true }), proxy.app.browser({ secure: true })]
    const back = await op.authorize((await begin(browser)).location)
    await browser.get((await atProxy.get(back, { from: op.issuer })).location)
    expect(await isSignedIn(browser)).toBe(true)
    const { location } = await signOut(browser, { callbackUrl: "/bye" })
    expect(param(location, "post_logout_redirect_uri")).toBe(`${redirectProxyUrl}/post-logout/oidc`)
    const forwarded = await openReturnUrl(atProxy, buildReturnUrl(location))
    expect((await openReturnUrl(browser, forwarded.location)).location).toBe("https://preview-1.example.test/bye")
    expect((await openReturnUrl(atProxy, `${redirectProxyUrl}/post-logout/oidc?state=x`)).location).toBe(
      "https://auth.example.test/",
    )
    expect(listCodes([...preview.records, ...proxy.records])).toEqual([["warn", "redirect-proxy-state-unreadable"]])
  })
})

describeServer("two applications at a real provider", "Express 5", (start) => {
  let real: RealProvider
  beforeAll(async () => {
    real = await startRealProvider()
  })
  afterAll(() => real.close())

  /** Starts an application and registers it, with both logout URIs. */
  async function register(clientId: string, strategy: "jwt" | "database"): Promise<RunningApp> {
    const clientSecret = `the secret of ${clientId}, which has more than 32 characters`
    const providers = [real.oidc({ id: "oidc", clientId, clientSecret, logout: true })]
    const { app } = await startSite(start, { providers, adapter: MemoryAdapter(), session: { strategy } })
    await real.addClient({
      ...{ client_id: clientId, client_secret: clientSecret },
      redirect_uris: [`${app.origin}/auth/callback/oidc`],
      post_logout_redirect_uris: [`${app.origin}/auth/post-logout/oidc`],
      backchannel_logout_uri: `${app.origin}/auth/backchannel-logout/oidc`,
      backchannel_logout_session_required: true,
    })
    return app
  }

  async function completeSignIn(browser: Browser, user: "alice" | "bob") {
    await browser.get(await signInAtProvider(browser, (await begin(browser)).location, user))
    expect(await isSignedIn(browser)).toBe(true)
  }

  it.each(["jwt", "database"] as const)(
    "a logout in one ends the session in the other, with strategy %s",
    async (strategy) => {
      const [app, other] = [await register(`one-${strategy}`, strategy), await register(`two-${strategy}`, strategy)]
      const browser = app.browser()
      await completeSignIn(browser, "alice")
      // The second application is visited with the same session at the provider.
      const elsewhere = other.browser()
      for (const cookie of browser.jar.matching(new URL(real.issuer))) elsewhere.jar.put(cookie)
      await completeSignIn(elsewhere, "alice")
      const stranger = other.browser()
      await completeSignIn(stranger, "bob")
      const { location } = await signOut(browser, { callbackUrl: "/bye" })
      expect(decodeJwt(param(location, "id_token_hint"))).toMatchObject({ sub: "alice", aud: `one-${strategy}` })
      expect([await isSignedIn(browser), await isSignedIn(elsewhere)]).toEqual([false, true])
      const { location: back } = await signOutAtProvider(browser, location)
      expect(back.startsWith(`${app.origin}/auth/post-logout/oidc?state=`)).toBe(true)
      expect([await isSignedIn(elsewhere), await isSignedIn(stranger)]).toEqual([false, true])
      expect((await browser.get(back, { from: real.issuer })).location).toBe(`${app.origin}/bye`)
      // The provider shows its sign-in form, because its session has ended too.
      await completeSignIn(browser, "bob")
    },
  )
})
