/**
 * OID-54: a provider ends sessions by back-channel logout (OpenID Connect Back-Channel Logout 1.0).
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { decode } from "../../../lib/jwt.js"
import { parseAuthentication } from "../../../lib/sessions/authentication.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"
import type { AuthConfig } from "../../../lib/types.js"
import {
  describeServer,
  describeServers,
  type RunningApp,
  recordingLogger,
  type Start,
  TEST_SECRET,
} from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { createSigningKey, publicJwk, signIdToken } from "../../support/faulty-provider/signing.js"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"
import {
  type RealProvider,
  signInAtProvider,
  signOutAtProvider,
  startRealProvider,
} from "../../support/real-provider.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { begin, named, openCallback, sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const EVENT = "http://schemas.openid.net/event/backchannel-logout"
const PATH = "/auth/backchannel-logout/oidc"
const INVALID = { error: "invalid_request", error_description: "the logout token is not valid" }

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** The claims of a valid logout token for Alice's session "one". An undefined claim is omitted. */
const createClaims = (changes: Claims = {}): Claims => ({
  ...{ iss: op.issuer, aud: op.client.clientId, sub: "alice", sid: "one", jti: randomUUID() },
  ...{ iat: nowSeconds(), exp: nowSeconds() + 120, events: { [EVENT]: {} } },
  ...changes,
})

const logoutHeader = (header: Claims): Claims => ({ ...header, typ: "logout+jwt" })

const sign = (changes?: Claims, mode: ProviderMode = {}) =>
  signIdToken(createClaims(changes), { header: logoutHeader, ...mode }, op.keys)

/** Sends a token like the provider: without cookies and without the headers of a browser. */
const deliver = (app: RunningApp, logout_token: string, path = PATH) =>
  app.browser().post(path, { logout_token }, { headers: { origin: "", "sec-fetch-site": "" } })

/** Starts applications that share a store, as several processes do. */
async function startSite(start: Start, config: Partial<AuthConfig> = {}, count = 1) {
  const { logger, records } = recordingLogger()
  const shared = { providers: [op.oidc()], secret: TEST_SECRET, logger, store: MemoryStore(), ...config }
  const first = await start({ ...shared })
  const others: RunningApp[] = []
  while (others.length < count - 1) others.push(await start({ ...shared }))
  return { app: first, apps: [first, ...others], records }
}

/** Signs in a user in a new browser. `sid` identifies the session at the provider. */
async function signInUser(app: RunningApp, sid: string | undefined, sub = "alice", id = "oidc"): Promise<Browser> {
  op.set({ claims: (claims) => ({ ...claims, sid, sub }), user: { sub, name: sub, email: `${sub}@example.com` } })
  const browser = app.browser()
  await signIn(browser, op, { id })
  op.reset()
  expect(await isSignedIn(browser)).toBe(true)
  return browser
}

const isSignedIn = async (browser: Browser) => (await sessionOf(browser)) !== null

const areSignedIn = (...browsers: Browser[]) => Promise.all(browsers.map(isSignedIn))

describeServers("OID-54: back-channel logout", (start) => {
  it.each(["jwt", "database"] as const)("ends the session that sid names, with strategy %s", async (strategy) => {
    const { app } = await startSite(start, { adapter: MemoryAdapter(), session: { strategy } })
    const browsers = [
      await signInUser(app, "one"),
      await signInUser(app, "two"),
      await signInUser(app, undefined),
    ] as const
    const page = await deliver(app, await sign())
    expect([page.status, await page.text(), page.headers.getSetCookie()]).toEqual([200, "", []])
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect(await areSignedIn(...browsers)).toEqual([false, true, true])
    expect((await deliver(app, await sign({ sid: "two", sub: undefined }))).status).toBe(200)
    expect(await areSignedIn(...browsers)).toEqual([false, false, true])
  })

  it("ends all sessions of the user if the token has sub but no sid", async () => {
    const { app } = await startSite(start)
    const browsers = [await signInUser(app, "one"), await signInUser(app, undefined), await signInUser(app, "3", "bob")]
    expect((await deliver(app, await sign({ sid: undefined }))).status).toBe(200)
    expect(await areSignedIn(...browsers)).toEqual([false, false, true])
    expect(await isSignedIn(await signInUser(app, "one"))).toBe(true)
  })

  it("answers 200 if no session matches the token", async () => {
    const { app } = await startSite(start)
    expect((await deliver(app, await sign())).status).toBe(200)
  })

  it("ends sessions in another process within a second", async () => {
    const { apps } = await startSite(start, {}, 2)
    const [one, two] = apps
    const browser = await signInUser(one as RunningApp, "one")
    const copy = (two as RunningApp).browser()
    for (const { name, value } of browser.cookies()) copy.setCookie(name, value)
    expect(await isSignedIn(copy)).toBe(true)
    expect((await deliver(one as RunningApp, await sign())).status).toBe(200)
    const endedAt = performance.now()
    await until(async () => !(await isSignedIn(copy)), 1_500)
    expect(performance.now() - endedAt).toBeLessThan(1_100)
  })

  it.each(["jwt", "database"] as const)(
    "ends a session by the sid of its last reauthentication, with strategy %s",
    async (strategy) => {
      const { app } = await startSite(start, { adapter: MemoryAdapter(), session: { strategy } })
      const browser = await signInUser(app, "one")
      op.set({ claims: (claims) => ({ ...claims, sid: "two", sub: "alice", auth_time: nowSeconds() }) })
      const page = await browser.get("/auth/reauthenticate?callbackUrl=/me&max_age=600")
      const { location } = await browser.submit(browser.form(await page.text(), "/auth/signin/oidc"))
      await openCallback(browser, op, await op.authorize(location))
      expect(await isSignedIn(browser)).toBe(true)
      expect((await deliver(app, await sign({ sid: "two" }))).status).toBe(200)
      expect(await isSignedIn(browser)).toBe(false)
    },
  )

  it("keeps the user's id at the provider out of the cookie", async () => {
    const { app } = await startSite(start, { adapter: MemoryAdapter(), session: { strategy: "jwt" } })
    const browser = await signInUser(app, "one", "subject-7")
    const token = browser.cookie("authjs.session-token") ?? ""
    const claims = await decode({ token, secret: TEST_SECRET, salt: "authjs.session-token" })
    expect(parseAuthentication(claims?.["session_authentication"])).toMatchObject({
      provider: "oidc",
      providerSid: "one",
    })
    expect(claims?.["session_authentication"]).not.toContain("subject-7")
    expect((await deliver(app, await sign({ sid: undefined, sub: "subject-7" }))).status).toBe(200)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it.each<[string, Claims]>([
    ["an iss of another issuer", { iss: "https://evil.test" }],
    ["no iss", { iss: undefined }],
    ["an aud of another client", { aud: "other-client" }],
    ["no aud", { aud: undefined }],
    ["an aud list that contains a number", { aud: [1] }],
    ["an iat in the future", { iat: nowSeconds() + 600, exp: nowSeconds() + 900 }],
    ["an iat of yesterday", { iat: nowSeconds() - 86_400 }],
    ["no iat", { iat: undefined }],
    ["an iat that is a string", { iat: String(nowSeconds()) }],
    ["an exp in the past", { iat: nowSeconds() - 120, exp: nowSeconds() - 60 }],
    ["no exp", { exp: undefined }],
    ["an exp that is a string", { exp: "never" }],
    ["no jti", { jti: undefined }],
    ["an empty jti", { jti: "" }],
    ["a jti that is a number", { jti: 1 }],
    ["no events", { events: undefined }],
    ["events in an array", { events: [EVENT] }],
    ["another event", { events: { "http://schemas.openid.net/event/other": {} } }],
    ["an event that is not an object", { events: { [EVENT]: true } }],
    ["a nonce", { nonce: "n" }],
    ["a nonce of null", { nonce: null }],
    ["neither sub nor sid", { sub: undefined, sid: undefined }],
    ["a sid that is a number", { sid: 1 }],
    ["an empty sub", { sub: "", sid: undefined }],
    ["a long sid", { sid: "1".repeat(256) }],
  ])("refuses a token with %s", async (_, changes) => {
    const { app, records } = await startSite(start)
    const browser = await signInUser(app, "one")
    const page = await deliver(app, await sign(changes))
    expect([page.status, await page.json()]).toEqual([400, INVALID])
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect(await isSignedIn(browser)).toBe(true)
    expect(records.map(({ level, error }) => [level, Object(error).messageCode])).toEqual([
      ["warn", "logout-token-invalid"],
    ])
  })

  it("refuses a token with a wrong signature, algorithm or type", async () => {
    const forger = await createSigningKey("RS256")
    const modes: ProviderMode[] = [
      { alg: "none" },
      { alg: "nOnE" },
      { sig: "stripped" },
      { sig: "other-key" },
      { alg: "HS256-secret" },
      { alg: "HS256-public-key" },
      { key: forger, header: (header) => ({ ...logoutHeader(header), jwk: publicJwk(forger) }) },
      { header: (header) => ({ ...header, typ: "at+jwt" }) },
      { header: (header) => ({ ...header, typ: "JWT" }) },
      { header: (header) => ({ ...logoutHeader(header), crit: ["x"], x: 1 }) },
    ]
    const { app } = await startSite(start, { providers: [op.oidc({ verifyIdToken: false })] })
    const browser = await signInUser(app, "one")
    for (const mode of modes) {
      const page = await deliver(app, await sign({}, mode))
      expect([mode, page.status, await page.json()]).toEqual([mode, 400, INVALID])
    }
    expect(await isSignedIn(browser)).toBe(true)
    expect((await deliver(app, await sign({}, { header: ({ typ: _, ...rest }) => rest }))).status).toBe(200)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it("refuses an id_token, and a logout token does not sign a user in", async () => {
    const { app } = await startSite(start)
    const browser = await signInUser(app, "one")
    const idToken = await signIdToken(createClaims({ events: undefined, nonce: "n" }), {}, op.keys)
    expect((await deliver(app, idToken)).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
    op.set({ token: (json) => ({ ...json, id_token: token }) })
    const token = await sign()
    const other = app.browser()
    await signIn(other, op)
    expect(await isSignedIn(other)).toBe(false)
  })

  it("accepts a symmetric signature only if the client is registered for it", async () => {
    const client = { id_token_signed_response_alg: "HS256" }
    const { app } = await startSite(start, { providers: [op.oidc({ client })] })
    const page = await deliver(app, await sign({}, { alg: "HS256-secret" }))
    expect([page.status, (await deliver(app, await sign())).status]).toEqual([200, 400])
  })

  it("refuses a body without a logout_token, and a body with two of them", async () => {
    const { app } = await startSite(start)
    const [one, two] = [await sign(), await sign()]
    const description = "the body must have the field logout_token once"
    for (const body of ["", "logout_token=", `logout_token=${one}&logout_token=${two}`]) {
      const headers = { "content-type": "application/x-www-form-urlencoded", origin: "", "sec-fetch-site": "" }
      const page = await app.browser().request(PATH, { method: "POST", body, headers })
      expect([page.status, await page.json()]).toEqual([400, { ...INVALID, error_description: description }])
    }
    expect((await deliver(app, "x.y.z")).status).toBe(400)
  })

  it("refuses a token of another provider of the application", async () => {
    const { app } = await startSite(start, { providers: [op.oidc(), named(op.oidc({ clientId: "other" }), "second")] })
    const browser = await signInUser(app, "one")
    expect((await deliver(app, await sign(), "/auth/backchannel-logout/second")).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("ends no session of another provider with the same sub", async () => {
    const { app } = await startSite(start, { providers: [op.oidc(), named(op.oidc(), "second")] })
    const [one, two] = [await signInUser(app, "one"), await signInUser(app, "one", "alice", "second")]
    expect((await deliver(app, await sign({ sid: undefined }))).status).toBe(200)
    expect(await areSignedIn(one, two)).toEqual([false, true])
  })

  it("accepts a token once for each provider of the application with the same issuer", async () => {
    const { app } = await startSite(start, { providers: [op.oidc(), named(op.oidc(), "second")] })
    const [one, two] = [await signInUser(app, "one"), await signInUser(app, "one", "alice", "second")]
    const token = await sign()
    const statuses: number[] = []
    for (const id of ["oidc", "second", "oidc", "second"])
      statuses.push((await deliver(app, token, `/auth/backchannel-logout/${id}`)).status)
    expect([statuses, await areSignedIn(one, two)]).toEqual([
      [200, 200, 400, 400],
      [false, false],
    ])
  })

  it("refuses a repeated token in all processes", async () => {
    const { apps } = await startSite(start, {}, 2)
    const token = await sign()
    const statuses: number[] = []
    for (const app of [...apps, ...apps]) statuses.push((await deliver(app, token)).status)
    expect(statuses).toEqual([200, 400, 400, 400])
    const browser = await signInUser(apps[0] as RunningApp, "one")
    expect((await deliver(apps[1] as RunningApp, token)).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("accepts one of 50 parallel deliveries, and answers all within a second", async () => {
    const { apps } = await startSite(start, {}, 2)
    const browser = await signInUser(apps[0] as RunningApp, "one")
    const token = await sign()
    // Both applications fetch the keys before the parallel deliveries.
    for (const app of apps) expect((await deliver(app, await sign({ sid: "unknown" }))).status).toBe(200)
    const startedAt = performance.now()
    const deliveries = Array.from({ length: 50 }, (_, index) => deliver(apps[index % 2] as RunningApp, token))
    const statuses = (await Promise.all(deliveries)).map(({ status }) => status)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect([statuses.filter((status) => status === 200), new Set(statuses)]).toEqual([[200], new Set([200, 400])])
    // The other process may have ended the session.
    await until(async () => !(await isSignedIn(browser)), 1_500)
  })

  it.each(["get", "set", "list", "delete"] as const)(
    "answers 400 with server_error if the store fails in %s, and accepts the token afterwards",
    async (method) => {
      const memory = MemoryStore()
      let isDown = false
      const fail = async (): Promise<never> => {
        throw new Error("connection refused")
      }
      const store = new Proxy(memory, {
        get: (target, name) => (isDown && name === method ? fail : Reflect.get(target, name)),
      }) as Store
      const { app } = await startSite(start, { store })
      const browser = await signInUser(app, "one")
      const token = await sign()
      isDown = true
      const page = await deliver(app, token)
      expect([page.status, await page.json()]).toMatchObject([400, { error: "server_error" }])
      isDown = false
      expect((await deliver(app, token)).status).toBe(200)
      expect(await isSignedIn(browser)).toBe(false)
    },
  )

  it("answers 400 with server_error if the provider's keys can't be fetched, and accepts the token afterwards", async () => {
    for (const endpoint of ["discovery", "jwks"] as const) {
      const { app } = await startSite(start)
      const token = await sign()
      op.set({ fault: { [endpoint]: { status: 500 } } })
      const page = await deliver(app, token)
      expect([page.status, await page.json()]).toMatchObject([400, { error: "server_error" }])
      op.reset()
      await until(async () => (await deliver(app, token)).status === 200, 10_000)
    }
  })

  it("is not served without a store, for another type of provider, or for GET", async () => {
    const plain = { id: "plain", name: "Plain", type: "oauth" as const, clientId: "c", clientSecret: "s" }
    const urls = { authorization: `${op.base}/authorize`, token: `${op.base}/token`, userinfo: `${op.base}/userinfo` }
    const { app } = await startSite(start, { providers: [op.oidc(), { ...plain, ...urls }] })
    const token = await sign()
    for (const path of ["/auth/backchannel-logout", `${PATH.replace("oidc", "plain")}`, `${PATH}x`])
      expect([path, (await deliver(app, token, path)).status]).toEqual([path, 404])
    const page = await app.browser().get(PATH)
    expect([page.status, page.headers.get("allow")]).toEqual([405, "POST"])
    const without = await startSite(start, { store: undefined })
    expect((await deliver(without.app, token)).status).toBe(404)
    const irrevocable = await startSite(start, { session: { revocable: false } })
    expect((await deliver(irrevocable.app, token)).status).toBe(404)
  })

  it("needs no CSRF token and accepts a request with the Origin of the provider", async () => {
    const { app } = await startSite(start)
    const page = await app.browser().post(PATH, { logout_token: await sign() }, { from: op.issuer })
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []])
  })
})

describeServer("OID-54: two applications at a real provider", "Express 5", (start) => {
  let real: RealProvider
  beforeAll(async () => {
    real = await startRealProvider()
  })
  afterAll(() => real.close())

  /** Starts an application and registers it. */
  async function register(clientId: string, metadata: object): Promise<RunningApp> {
    const clientSecret = `the secret of ${clientId}, which has more than 32 characters`
    const { app } = await startSite(start, { providers: [real.oidc({ id: "oidc", clientId, clientSecret })] })
    await real.addClient({
      ...{ client_id: clientId, client_secret: clientSecret },
      redirect_uris: [`${app.origin}/auth/callback/oidc`],
      backchannel_logout_uri: app.origin + PATH,
      ...metadata,
    })
    return app
  }

  it.each([true, false])("a logout in one ends the session in the other (token with sid: %s)", async (hasSid) => {
    const metadata = { backchannel_logout_session_required: hasSid }
    const apps = [await register(`one-${hasSid}`, metadata), await register(`two-${hasSid}`, metadata)] as const
    const [app, other] = apps
    const signInAt = async (browser: Browser) => {
      const { location } = await begin(browser)
      await browser.get(await signInAtProvider(browser, location, "alice"))
      expect(await isSignedIn(browser)).toBe(true)
    }
    const browser = app.browser()
    await signInAt(browser)
    // The second application is visited with the same session at the provider.
    const elsewhere = other.browser()
    for (const cookie of browser.jar.matching(new URL(real.issuer))) elsewhere.jar.put(cookie)
    await signInAt(elsewhere)
    const stranger = other.browser()
    const { location } = await begin(stranger)
    await stranger.get(await signInAtProvider(stranger, location, "bob"))
    const page = await signOutAtProvider(browser, `${real.issuer}/session/end`)
    expect(page.status).toBe(303)
    expect(await areSignedIn(browser, elsewhere, stranger)).toEqual([false, false, true])
  })
})
