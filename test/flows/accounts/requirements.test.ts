/** A requirement of the application stops every sign-in method before a session exists and before data is stored. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authHandlers, completeRequirement, getSession, pendingSignIn } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig, Requirement } from "../../../lib/types.js"
import {
  describeServer,
  describeServers,
  type RunningApp,
  recordingLogger,
  type Start,
  TEST_SECRET,
} from "../../support/apps.js"
import { Browser, type Page } from "../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { createTerms, meet, requirementPages } from "../../support/requirements.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, enterCode, type Mailbox, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { begin, named, sessionCookies, sessionOf, signIn } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())
beforeEach(() => op.reset())

const PENDING = "authjs.pending-sign-in"
const EMAIL = "alice@example.com"

interface Site {
  readonly app: RunningApp
  readonly mail: Mailbox
  readonly terms: ReturnType<typeof createTerms>
  readonly adapter: ReturnType<typeof MemoryAdapter>
  readonly events: { name: string; message: object }[]
  readonly codes: () => unknown[]
}

const EVENTS = ["signIn", "createUser", "updateUser", "linkAccount"] as const

async function startSite(start: Start, config: Partial<AuthConfig> = {}, names?: readonly string[]): Promise<Site> {
  const [terms, mail, adapter] = [createTerms(), mailbox({ emailCode: true }), MemoryAdapter()]
  const events: Site["events"] = []
  const { logger, records } = recordingLogger()
  const formPost = op.oidc({ authorization: { params: { response_mode: "form_post" } } })
  const authorize = () => ({ id: "7", name: "ada", email: EMAIL })
  const app = await start(
    {
      secret: TEST_SECRET,
      logger,
      providers: [op.oidc(), op.oauth(), named(formPost, "posted"), mail.provider, Passkey, Credentials({ authorize })],
      adapter,
      session: { strategy: "jwt" },
      events: Object.fromEntries(
        EVENTS.map((name) => [name, (message: object) => void events.push({ name, message })]),
      ),
      requirements: [terms],
      ...config,
    },
    requirementPages(names),
  )
  return { app, mail, terms, adapter, events, codes: () => records.map(({ code }) => code) }
}

/** The methods: each signs in with the address of `EMAIL` and returns the last page. */
const METHODS: Readonly<Record<string, (browser: Browser, site: Site) => Promise<Page>>> = {
  "OpenID Connect": (browser) => signIn(browser, op, { callbackUrl: "/cart" }),
  OAuth: (browser) => {
    op.set({ plainOAuth: true })
    return signIn(browser, op, { id: "oauth", callbackUrl: "/cart" })
  },
  form_post: async (browser) => {
    const { location } = await begin(browser, { id: "posted", callbackUrl: "/cart" })
    const { action, fields } = await op.authorizeByForm(location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    return browser.get(posted.location, { from: op.issuer })
  },
  "an email link": async (browser, { mail }) => {
    await askForLink(browser, EMAIL, { callbackUrl: "/cart" })
    return browser.get(mail.linkTo(EMAIL))
  },
  "an email code": async (browser, { mail }) => {
    await askForLink(browser, EMAIL, { callbackUrl: "/cart" })
    return enterCode(browser, mail.codeFor(EMAIL))
  },
  "an email link in another browser": async (browser, { mail, app }) => {
    await askForLink(app.browser(), EMAIL, { callbackUrl: "/cart" })
    return confirmLink(browser, mail.linkTo(EMAIL))
  },
  credentials: async (browser) =>
    browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), callbackUrl: "/cart" }),
  "a new passkey": async (browser, { app }) => (await passkeys.register(browser, app.origin, { email: EMAIL })).page,
}

/** The stored user with the address of `EMAIL`, and its accounts. */
async function readRows({ adapter }: Site): Promise<unknown[]> {
  const user = await adapter.getUserByEmail(EMAIL)
  return user ? [user, ...(await adapter.listAccountsByUserId(user.id))] : []
}

describeServers("A requirement", (start) => {
  it.each(Object.entries(METHODS))("stops %s before anything is stored", async (_, signInBy) => {
    const site = await startSite(start)
    const browser = site.app.browser()
    const page = await signInBy(browser, site)
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/terms`])
    expect([sessionCookies(browser), await sessionOf(browser)]).toEqual([[], null])
    expect([await readRows(site), site.events]).toEqual([[], []])
    expect(await (await browser.get("/terms")).json()).toMatchObject({ requirement: "terms", user: { email: EMAIL } })
    const done = await meet(browser)
    expect(done.location).toMatch(new RegExp(`^${site.app.origin}/(cart|me)$`))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EMAIL } })
    expect(browser.cookies().map(({ name }) => name)).not.toContain(PENDING)
    const signedIn = site.events.filter(({ name }) => name === "signIn" || name === "createUser")
    expect(signedIn.length).toBeGreaterThan(0)
    for (const { message } of signedIn) expect(message).toMatchObject({ data: { terms: { version: 3 } } })
  })

  it("lets a user pass who has met it, and stops a returning user with a passkey", async () => {
    const site = await startSite(start)
    site.terms.accepted.add(EMAIL)
    const device = site.app.browser()
    const { passkey } = await passkeys.register(device, site.app.origin, { email: EMAIL })
    const before = await readRows(site)
    expect(before).toHaveLength(2)
    site.terms.accepted.clear()
    site.events.length = 0
    const browser = site.app.browser()
    expect((await passkeys.signIn(browser, passkey, site.app.origin)).location).toBe(`${site.app.origin}/terms`)
    expect([await sessionOf(browser), await readRows(site), site.events]).toEqual([null, before, []])
  })
})

describeServer("A pending sign-in", "Express 5", (start) => {
  const signInUntilTerms = (browser: Browser) => signIn(browser, op, { callbackUrl: "/cart" })

  it("can't be continued by another browser, and leads to the sign-in page there", async () => {
    const site = await startSite(start)
    const browser = site.app.browser()
    await signInUntilTerms(browser)
    const other = site.app.browser()
    expect(await (await other.get("/terms")).json()).toBeNull()
    expect((await meet(other)).location).toBe(`${site.app.origin}/auth/signin`)
    expect([await sessionOf(other), await readRows(site)]).toEqual([null, []])
    // The key is random, so a guessed key finds nothing.
    other.setCookie(PENDING, "x".repeat(43))
    expect((await meet(other)).location).toBe(`${site.app.origin}/auth/signin`)
    await meet(browser)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EMAIL } })
  })

  it("is refused if isActive rejects the user meanwhile", async () => {
    const banned = new Set<string>()
    const site = await startSite(start, { isActive: ({ email }) => !banned.has(email ?? "") })
    const browser = site.app.browser()
    await signInUntilTerms(browser)
    banned.add(EMAIL)
    expect((await meet(browser)).location).toContain("error=AccessDenied")
    expect([await sessionOf(browser), await readRows(site)]).toEqual([null, []])
  })

  it("ends after ten minutes", async () => {
    const time = { now: Date.now() }
    const site = await startSite(start, { clock: () => time.now })
    const lateBrowser = site.app.browser()
    await signInUntilTerms(lateBrowser)
    time.now += 599_000
    expect(await (await lateBrowser.get("/terms")).json()).toMatchObject({ requirement: "terms" })
    time.now += 2_000
    expect(await (await lateBrowser.get("/terms")).json()).toBeNull()
    expect((await meet(lateBrowser)).location).toBe(`${site.app.origin}/auth/signin`)
    expect([await sessionOf(lateBrowser), await readRows(site)]).toEqual([null, []])
  })

  it("survives a restart of the process, and its cookie contains only a random key", async () => {
    const store = MemoryStore()
    const adapter = MemoryAdapter()
    const site = await startSite(start, { store, adapter })
    const browser = site.app.browser()
    await signInUntilTerms(browser)
    const [cookie] = browser.cookies().filter(({ name }) => name === PENDING)
    expect(cookie?.value).toMatch(/^[\w-]{43}$/)
    // Another configuration object has a runtime of its own.
    const restarted = await startSite(start, { store, adapter })
    const later = restarted.app.browser()
    later.setCookie(PENDING, cookie?.value ?? "")
    expect((await meet(later)).location).toBe(`${site.app.origin}/cart`)
    expect(await sessionOf(later)).toMatchObject({ user: { email: EMAIL } })
  })

  it("creates one session for 50 concurrent requests", async () => {
    const site = await startSite(start)
    const browser = site.app.browser()
    await signInUntilTerms(browser)
    const copies = Array.from({ length: 50 }, () => browser.clone())
    await Promise.all(copies.map((copy) => meet(copy)))
    const sessions = await Promise.all(copies.map((copy) => sessionOf(copy)))
    expect(sessions.filter(Boolean)).toHaveLength(1)
    expect(site.events.map(({ name }) => name).sort()).toEqual(["createUser", "linkAccount", "signIn"])
  })

  it("is refused if another sign-in has created a user for its account meanwhile", async () => {
    const site = await startSite(start)
    const [first, second] = [site.app.browser(), site.app.browser()]
    await signInUntilTerms(first)
    await signInUntilTerms(second)
    await meet(first)
    const page = await meet(second)
    expect(page.location).toContain("error=OAuthAccountNotLinked")
    expect(await sessionOf(second)).toBeNull()
    expect(site.codes()).toContain("OAuthAccountNotLinked")
  })

  it("is cancelled by the cancel link, which leads to the sign-in page", async () => {
    const site = await startSite(start)
    const browser = site.app.browser()
    await signInUntilTerms(browser)
    const copy = browser.clone()
    const { cancelUrl } = await (await browser.get("/terms")).json()
    const page = await browser.get(cancelUrl)
    expect([page.status, browser.cookies().map(({ name }) => name)]).toEqual([
      200,
      expect.not.arrayContaining([PENDING]),
    ])
    expect(await (await copy.get("/terms")).json()).toBeNull()
  })

  it("meets several requirements in their order, and calls the signIn callback once", async () => {
    const terms = createTerms()
    const age: Requirement = {
      name: "age",
      isOpen: ({ isNewUser, authentication }) => isNewUser && authentication.method === "oidc",
      page: "/age",
    }
    let calls = 0
    const callbacks = { signIn: () => ++calls > 0 }
    const site = await startSite(start, { requirements: [age, terms], callbacks }, ["age", "terms"])
    const browser = site.app.browser()
    expect((await signInUntilTerms(browser)).location).toBe(`${site.app.origin}/age`)
    // The form of a later requirement leads back to the open requirement.
    expect((await meet(browser, "terms")).location).toBe(`${site.app.origin}/age`)
    expect((await meet(browser, "age")).location).toBe(`${site.app.origin}/terms`)
    expect(await sessionOf(browser)).toBeNull()
    expect((await meet(browser, "terms")).location).toBe(`${site.app.origin}/cart`)
    expect(calls).toBe(1)
    const { message } = site.events.find(({ name }) => name === "createUser") ?? {}
    expect(message).toMatchObject({ data: { age: { version: 3 }, terms: { version: 3 } } })
  })

  it("is not created to connect an account, and does not affect an existing session", async () => {
    const site = await startSite(start)
    site.terms.accepted.add(EMAIL)
    const browser = site.app.browser()
    await METHODS["an email link"]?.(browser, site)
    site.terms.accepted.clear()
    expect((await signInUntilTerms(browser)).location).toBe(`${site.app.origin}/cart`)
    expect(await readRows(site)).toHaveLength(2)
    // A second sign-in with the same account is a new sign-in.
    expect((await signInUntilTerms(browser)).location).toBe(`${site.app.origin}/terms`)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EMAIL } })
  })

  it("leads to the page with the accounts that were removed, and from there to the return URL", async () => {
    const site = await startSite(start)
    const { id: userId } = await site.adapter.createUser({ id: "", email: EMAIL, emailVerified: null })
    await site.adapter.linkAccount({ userId, provider: "posted", providerAccountId: "eve", type: "oidc" })
    const browser = site.app.browser()
    await METHODS["an email link"]?.(browser, site)
    expect(await site.adapter.listAccountsByUserId(userId)).toHaveLength(1)
    const { location } = await meet(browser)
    expect(await site.adapter.listAccountsByUserId(userId)).toEqual([])
    const html = await (await browser.get(location)).text()
    expect(html).toMatch(new RegExp(`<li>Test provider</li>[\\s\\S]*href="${site.app.origin}/cart"[^>]*>Continue`))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EMAIL } })
  })

  it("can be continued after the adapter failed", async () => {
    let isBroken = false
    const adapter = MemoryAdapter()
    const createUser: typeof adapter.createUser = (user) => {
      if (isBroken) throw new Error("the database is down")
      return adapter.createUser(user)
    }
    const { transaction: _, ...plain } = adapter
    const site = await startSite(start, { adapter: { ...plain, createUser }, store: MemoryStore() })
    const browser = site.app.browser()
    await signInUntilTerms(browser)
    isBroken = true
    expect((await meet(browser)).location).toContain("error=")
    expect(await sessionOf(browser)).toBeNull()
    isBroken = false
    expect((await meet(browser)).location).toBe(`${site.app.origin}/cart`)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EMAIL } })
  })

  it("is not created if isOpen rejects", async () => {
    const broken: Requirement = { name: "terms", page: "/terms", isOpen: () => Promise.reject(new Error("no network")) }
    const site = await startSite(start, { requirements: [broken] })
    const browser = site.app.browser()
    expect((await signInUntilTerms(browser)).location).toContain("error=")
    expect([await sessionOf(browser), await readRows(site)]).toEqual([null, []])
  })
})

describe("A requirement with authHandlers", () => {
  const ORIGIN = "https://app.test"
  const { logger } = recordingLogger()

  it("is met on a page of the application, which continues the sign-in", async () => {
    const store = MemoryStore()
    const config = { secret: TEST_SECRET, logger, providers: [op.oidc()], store, requirements: [createTerms()] }
    const { GET, POST } = authHandlers(config)
    const { pages } = requirementPages()
    const send = async (request: Request) =>
      (await (request.method === "POST" ? POST : GET)(request)) ??
      (await pages?.(request, config)) ??
      Response.json(await getSession(request, config))
    const browser = new Browser({ origin: ORIGIN, send })
    const csrfToken = await browser.csrf("/api/auth")
    const { location } = await browser.post("/api/auth/signin/oidc", { csrfToken, callbackUrl: "/cart" })
    const stopped = await browser.get(await op.authorize(location), { from: op.issuer })
    expect(stopped.location).toBe(`${ORIGIN}/terms`)
    const { cancelUrl } = await (await browser.get("/terms")).json()
    expect(cancelUrl).toBe(`${ORIGIN}/api/auth/signin?cancel=1`)
    expect((await meet(browser)).location).toBe(`${ORIGIN}/cart`)
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { email: EMAIL } })
    expect((await meet(browser)).location).toBe(`${ORIGIN}/api/auth/signin`)
  })

  it("is not met at an untrusted host, or under an unknown name", async () => {
    const config = { secret: TEST_SECRET, logger, providers: [op.oidc()], store: MemoryStore() }
    const request = new Request("https://evil.test/terms", { method: "POST" })
    const strict = { ...config, requirements: [createTerms()], trustHost: ["app.test"] }
    await expect(completeRequirement(request, strict, { name: "terms" })).rejects.toThrow("trustHost does not list")
    await expect(pendingSignIn(request, strict)).rejects.toThrow("trustHost does not list")
    await expect(completeRequirement(request, config, { name: "terms" })).rejects.toThrow(/no entry with the name/)
  })
})

describeServer("The option requirements", "Express 5", (start) => {
  it.each<[string, Partial<AuthConfig>, RegExp]>([
    ["without a store", { requirements: [createTerms()] }, /store: is missing.*Write \{ store: SqlStore/],
    ["with an entry without isOpen", { requirements: [{ name: "a", page: "/a" } as Requirement] }, /requirements\[0\]/],
    ["with one name twice", { requirements: [createTerms(), createTerms()] }, /requirements\[1\]/],
  ])("is refused %s", async (_, config, message) => {
    const { logger } = recordingLogger()
    const providers = [op.oidc()]
    await expect(async () => start({ secret: TEST_SECRET, logger, providers, ...config })).rejects.toThrow(message)
  })
})
