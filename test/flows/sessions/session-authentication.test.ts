/** The record of how a session's user was authenticated, in the cookie or in the store. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { optionalAuth } from "../../../lib/index.js"
import { decode, encode } from "../../../lib/jwt.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import { sha256Base64url } from "../../../lib/security/tokens.js"
import { parseAuthentication } from "../../../lib/sessions/authentication.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { sessionOf, signIn } from "../support/site.js"

guardProcess()

const NAME = "authjs.session-token"
const NOW = Date.now()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())
beforeEach(() => op.reset())

const readCookie = (browser: Browser) => browser.cookies().find(({ name }) => name === NAME)?.value ?? ""

async function readClaims(browser: Browser): Promise<Record<string, unknown>> {
  return (await decode({ token: readCookie(browser), secret: TEST_SECRET, salt: NAME })) ?? {}
}

const readAuthentication = async (browser: Browser) =>
  parseAuthentication((await readClaims(browser))["session_authentication"])

const startSite = (start: Start, config: Partial<AuthConfig>) =>
  start(
    { secret: TEST_SECRET, logger: recordingLogger().logger, providers: [], session: { strategy: "jwt" }, ...config },
    { routes: (app) => app.use("/owner", (req, res) => optionalAuth(req, res, () => res.end(serializeOwner(req)))) },
  )

const serializeOwner = (req: object): string =>
  JSON.stringify(Reflect.get(Object(Reflect.get(req, "auth")), "owner") ?? null)

const people = Credentials({ authorize: () => ({ id: "7", name: "ada" }) })
const signInWithPassword = async (browser: Browser) =>
  browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf() })
const nowSeconds = () => Math.floor(Date.now() / 1000)

describeServers("The authentication of a cookie session", (start, stage) => {
  it("contains the ids of the session and its owner, the provider, and the authentication methods and time", async () => {
    const mail = mailbox()
    const adapter = MemoryAdapter()
    const app = await startSite(start, { providers: [people, mail.provider, Passkey], adapter })
    const before = nowSeconds()
    const browser = app.browser()
    await signInWithPassword(browser)
    const byPassword = await readAuthentication(browser)
    expect(byPassword).toEqual({
      ...{ id: expect.stringMatching(/^[\w-]{22}$/), owner: "7", provider: "credentials", method: "credentials" },
      ...{ amr: ["pwd"], authTime: expect.any(Number) },
    })
    expect(byPassword?.authTime).toBeGreaterThanOrEqual(before)

    const reader = app.browser()
    await askForLink(reader, "ada@example.com")
    await reader.get(mail.linkTo("ada@example.com"))
    const user = await adapter.getUserByEmail("ada@example.com")
    expect(await readAuthentication(reader)).toMatchObject({ owner: user?.id, method: "email", amr: ["email"] })

    const device = app.browser()
    await passkeys.register(device, app.origin, { email: "eve@example.com" })
    const eve = await adapter.getUserByEmail("eve@example.com")
    expect(await readAuthentication(device)).toMatchObject({
      owner: eve?.id,
      method: "webauthn",
      amr: ["hwk", "user", "mfa"],
    })
    if (stage !== "Auth()") expect(await (await device.get("/owner")).json()).toBe(eve?.id)
  })

  it("has the provider's authentication time, and its amr and acr only if they are trusted", async () => {
    const claims = { auth_time: nowSeconds() - 600, amr: ["otp", "mfa", 7], acr: "urn:silver or gold%", sid: "s 1" }
    const app = await startSite(start, {
      providers: [op.oidc(), { ...op.oidc(), id: "trusted", trustAuthenticationContext: true }],
    })
    op.set({ claims: (all) => ({ ...all, ...claims }) })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await readAuthentication(browser)).toEqual({
      ...{ id: expect.any(String), owner: expect.stringMatching(/^oidc:/), provider: "oidc", method: "oidc" },
      ...{ amr: [], authTime: claims.auth_time, providerSid: "s 1" },
    })
    if (stage !== "Auth()")
      expect(await (await browser.get("/owner")).json()).toBe((await readAuthentication(browser))?.owner)
    const other = app.browser()
    await signIn(other, op, { id: "trusted" })
    expect(await readAuthentication(other)).toMatchObject({
      amr: ["otp", "mfa"],
      acr: claims.acr,
      authTime: claims.auth_time,
    })
  })

  it("has no authentication time if the provider states none, and never one in the future", async () => {
    const app = await startSite(start, { providers: [op.oidc()] })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await readAuthentication(browser)).not.toHaveProperty("authTime")
    op.set({ claims: (all) => ({ ...all, auth_time: nowSeconds() + 5_000 }) })
    const other = app.browser()
    await signIn(other, op)
    expect((await readAuthentication(other))?.authTime).toBeLessThanOrEqual(nowSeconds())
  })

  it("is kept if the jwt callback changes it, and in a renewed cookie", async () => {
    const time = { now: NOW }
    const app = await startSite(start, {
      providers: [people],
      clock: () => time.now,
      callbacks: {
        jwt: ({ token, user }) => (user ? token : { ...token, session_authentication: "x 1 github oauth pwd" }),
      },
    })
    const browser = app.browser({ now: () => time.now })
    await signInWithPassword(browser)
    const first = readCookie(browser)
    time.now += 2 * 24 * 3600 * 1000
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
    expect(readCookie(browser)).not.toBe(first)
    expect(await readAuthentication(browser)).toMatchObject({
      owner: "7",
      amr: ["pwd"],
      authTime: Math.floor(NOW / 1000),
    })
  })

  it("does not change when the user connects another account, but at the next sign-in", async () => {
    const mail = mailbox()
    const app = await startSite(start, { providers: [op.oidc(), mail.provider], adapter: MemoryAdapter() })
    const browser = app.browser()
    await askForLink(browser, "ada@example.com")
    await browser.get(mail.linkTo("ada@example.com"))
    const authentication = await readAuthentication(browser)
    await signIn(browser, op)
    expect(await readAuthentication(browser)).toEqual(authentication)
    await signIn(browser, op)
    const later = await readAuthentication(browser)
    expect(later).toMatchObject({ owner: authentication?.owner, method: "oidc", amr: [] })
    expect(later?.id).not.toBe(authentication?.id)
  })
})

describeServer("The authentication of a database session", "Express 5", (start) => {
  it("is a record in the store, which is extended and deleted with the session", async () => {
    const time = { now: Date.now() }
    const store = MemoryStore()
    const adapter = MemoryAdapter()
    const user = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const app = await startSite(start, {
      ...{ store, adapter, clock: () => time.now },
      providers: [Credentials({ authorize: () => user })],
      session: { strategy: "database", maxAge: 10 * 24 * 3600 },
    })
    const browser = app.browser({ now: () => time.now })
    await signInWithPassword(browser)
    const list = () => store.list("session", sha256Base64url(user.id))
    const [record] = await list()
    expect(record?.key).not.toContain(readCookie(browser))
    const authentication = { owner: user.id, method: "credentials", amr: ["pwd"] }
    expect(JSON.parse(record?.value ?? "{}")).toMatchObject({ authentication, createdAt: time.now })
    expect(record?.value).not.toContain(readCookie(browser))
    expect(await (await browser.get("/owner")).json()).toBe(user.id)
    time.now += 3 * 24 * 3600 * 1000
    await sessionOf(browser)
    await until(async () => (await list())[0]?.version !== record?.version)
    const [extended] = await list()
    expect(extended?.expires?.getTime()).toBe(Number(record?.expires?.getTime()) + 3 * 24 * 3600 * 1000)
    expect(JSON.parse(extended?.value ?? "{}")).toMatchObject({ authentication, lastSeenAt: time.now })
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([await list(), await sessionOf(browser)]).toEqual([[], null])
  })
})

describeServer("A session without an authentication", "Express 5", (start) => {
  it("stays valid, and has an owner only with an adapter", async () => {
    for (const adapter of [undefined, MemoryAdapter()]) {
      const app = await startSite(start, { providers: [people], ...(adapter && { adapter }) })
      const browser = app.browser()
      const token = await encode({ token: { sub: "7", name: "ada" }, secret: TEST_SECRET, salt: NAME })
      browser.setCookie(NAME, token)
      expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
      expect(await (await browser.get("/owner")).json()).toBe(adapter ? "7" : null)
    }
  })
})
