/** The confirmation of a session: its user authenticates again, with each method. The user never changes. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { AuthConfig, Requirement } from "../../../lib/types.js"
import { describeServers, recordingLogger, type StageName, type Start, TEST_SECRET } from "../../support/apps.js"
import { usePasskey } from "../../support/authenticator.js"
import type { Browser, Page } from "../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { decodeEntities } from "../../support/html.js"
import { meet, requirementPages } from "../../support/requirements.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, enterCode, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { begin, openCallback, param, sessionCookies, sessionOf, signIn } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())
beforeEach(() => op.reset())

const ADA = "ada@example.com"
const EVE = "eve@example.com"
const MINUTE = 60_000

async function startSite(start: Start, strategy: "jwt" | "database", over: Partial<AuthConfig> = {}) {
  const time = { now: Date.now() }
  const [mail, adapter] = [mailbox({ emailCode: true }), MemoryAdapter()]
  const { logger, records } = recordingLogger()
  const events: string[] = []
  const ids = new Map<unknown, string>()
  const authorize = ({ name }: Partial<Record<string, unknown>>) => {
    const id = ids.get(name)
    return id === undefined ? null : { id }
  }
  const providers = [
    Credentials({ credentials: { name: {} }, authorize }),
    mail.provider,
    Passkey,
    op.oidc({ trustAuthenticationContext: true }),
    op.oauth(),
  ]
  const config = { secret: TEST_SECRET, logger, adapter, providers, session: { strategy }, clock: () => time.now }
  const signInEvent = { signIn: () => void events.push("signIn"), createUser: () => void events.push("createUser") }
  const app = await start({ ...config, events: signInEvent, ...over }, requirementPages())
  for (const email of [ADA, EVE]) {
    const { id } = await adapter.createUser({ id: "", email, emailVerified: new Date(time.now - 1) })
    ids.set(email, id)
  }
  const { sessions, cookieSetFor } = createRuntime({ ...config, ...over }, {})
  const readCookies = (browser: Browser) => ({
    cookies: Object.fromEntries(browser.cookies().map(({ name, value }) => [name, value])),
    cookieSet: cookieSetFor(app.origin),
  })
  /** The authentication of the browser's session, as another process reads it. */
  const readAuthentication = (browser: Browser) => sessions.authentication(readCookies(browser))
  const codes = () => records.map(({ error }) => String(Object(error).messageCode))
  return { app, time, mail, adapter, ids, events, readAuthentication, codes }
}

type Site = Awaited<ReturnType<typeof startSite>>

/** A method to sign in and to confirm a session. */
interface Method {
  readonly name: string
  readonly amr: readonly string[]
  /** Signs a user in with this method, in a new browser. */
  signIn(browser: Browser, email: string, site: Site): Promise<unknown>
  /** Authenticates with the form of the page, and returns the last page. */
  confirm(browser: Browser, email: string, site: Site): Promise<Page>
}

const openPage = (browser: Browser) => browser.get("/auth/reauthenticate?callbackUrl=/there&max_age=600")

/** Submits a form of the page. */
async function submit(browser: Browser, action: string, fields: Record<string, string> = {}): Promise<Page> {
  return browser.submit(browser.form(await (await openPage(browser)).text(), action), fields)
}

const keys = new Map<string, Awaited<ReturnType<typeof passkeys.register>>["passkey"]>()

const METHODS: readonly Method[] = [
  {
    name: "a password",
    amr: ["pwd"],
    signIn: async (browser, name) =>
      browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), name }),
    confirm: (browser, name) => submit(browser, "/auth/callback/credentials", { name }),
  },
  {
    name: "an email link",
    amr: ["email"],
    async signIn(browser, email, { mail }) {
      await askForLink(browser, email)
      await browser.get(mail.linkTo(email))
    },
    async confirm(browser, email, { mail }) {
      await submit(browser, "/auth/signin/mail", { email })
      return browser.get(mail.linkTo(email))
    },
  },
  {
    name: "an email code",
    amr: ["email"],
    async signIn(browser, email, { mail }) {
      await askForLink(browser, email)
      await enterCode(browser, mail.codeFor(email))
    },
    async confirm(browser, email, { mail }) {
      await submit(browser, "/auth/signin/mail", { email })
      return enterCode(browser, mail.codeFor(email))
    },
  },
  {
    name: "a passkey",
    amr: ["hwk", "user", "mfa"],
    async signIn(browser, email, { app, mail }) {
      await askForLink(browser, email)
      await browser.get(mail.linkTo(email))
      const { passkey } = await passkeys.register(browser, app.origin)
      keys.set(email, passkey)
    },
    async confirm(browser, email, { app }) {
      const passkey = keys.get(email)
      if (!passkey) throw new Error(`${email} has no passkey`)
      const { options } = await passkeys.optionsFor(browser, { action: "authenticate" })
      const data = JSON.stringify(usePasskey(passkey, options, { origin: app.origin }))
      return submit(browser, "/auth/callback/passkey", { action: "authenticate", data })
    },
  },
  {
    name: "OpenID Connect",
    amr: [],
    async signIn(browser, email, { time }) {
      const auth_time = Math.floor(time.now / 1000)
      op.set({ claims: (all) => ({ ...all, sub: email, email, email_verified: true, auth_time }) })
      await connectAndSignIn(browser, email)
    },
    async confirm(browser, email, { time }) {
      const auth_time = Math.floor(time.now / 1000)
      op.set({ claims: (all) => ({ ...all, sub: email, email, email_verified: true, auth_time }) })
      const { location } = await submit(browser, "/auth/signin/oidc")
      return openCallback(browser, op, await op.authorize(location))
    },
  },
]

/** Connects the provider's account to the user with this address, and signs in with the account. */
async function connectAndSignIn(browser: Browser, email: string): Promise<void> {
  await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), name: email })
  await signIn(browser, op)
  await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
  await signIn(browser, op)
}

describe.each(["jwt", "database"] as const)("The confirmation of a session (%s)", (strategy) => {
  // The database strategy does not depend on the server.
  const stages: readonly StageName[] = strategy === "jwt" ? ["Auth()", "Express 5", "Express 4"] : ["Express 5"]
  const tests = (start: Start) => {
    it.each(METHODS)("by $name updates the session's authentication, and nothing else", async (method) => {
      const site = await startSite(start, strategy)
      const browser = site.app.browser({ now: () => site.time.now })
      await method.signIn(browser, ADA, site)
      const before = await site.readAuthentication(browser)
      expect(before).toMatchObject({ owner: site.ids.get(ADA) })
      const accounts = await site.adapter.listAccountsByUserId?.(site.ids.get(ADA) ?? "")
      site.time.now += 20 * MINUTE
      site.events.length = 0
      const { location } = await method.confirm(browser, ADA, site)
      expect(location).toBe(`${site.app.origin}/there`)
      const seconds = Math.floor(site.time.now / 1000)
      const amr = [...new Set([...(before?.amr ?? []), ...method.amr])]
      const { providerSub: _, ...after } = { ...(await site.readAuthentication(browser)) }
      expect(after).toMatchObject({
        ...{ id: before?.id, owner: before?.owner },
        provider: before?.provider,
        authTime: seconds,
        amr,
      })
      expect(site.events).toEqual([])
      expect(await site.adapter.listAccountsByUserId?.(site.ids.get(ADA) ?? "")).toHaveLength(accounts?.length ?? 0)
    })

    it.each(METHODS)("SEC-24: by $name of another user is refused, and the page states the reason", async (method) => {
      const site = await startSite(start, strategy)
      await method.signIn(site.app.browser({ now: () => site.time.now }), EVE, site)
      const browser = site.app.browser({ now: () => site.time.now })
      await method.signIn(browser, ADA, site)
      const [before, session] = [await site.readAuthentication(browser), await sessionOf(browser)]
      site.time.now += 20 * MINUTE
      site.events.length = 0
      const refused = await method.confirm(browser, EVE, site)
      expect(new URL(refused.location).pathname).toBe("/auth/reauthenticate")
      expect(param(refused.location, "error")).toBe("AccountNotLinked")
      const html = decodeEntities(await (await browser.get(refused.location)).text())
      expect(html).toContain("You confirmed another account. Nothing was changed.")
      expect(await site.readAuthentication(browser)).toEqual(before)
      expect((await sessionOf(browser))?.user).toEqual(session?.user)
      expect([site.events, site.codes()]).toEqual([[], expect.arrayContaining(["reauthenticated-other-user"])])
    })

    it("SEC-24: by an account that belongs to no user is refused, and creates and links nothing", async () => {
      const site = await startSite(start, strategy)
      const oidc = METHODS[4] as Method
      const browser = site.app.browser({ now: () => site.time.now })
      await oidc.signIn(browser, ADA, site)
      site.events.length = 0
      for (const email of ["new@example.com", ADA]) {
        op.set({
          claims: (all) => ({ ...all, sub: `new ${email}`, email, auth_time: Math.floor(site.time.now / 1000) }),
        })
        const { location } = await submit(browser, "/auth/signin/oidc")
        const refused = await openCallback(browser, op, await op.authorize(location))
        expect(param(refused.location, "error")).toBe("AccountNotLinked")
      }
      expect(await site.adapter.getUserByEmail("new@example.com")).toBeNull()
      expect(await site.adapter.listAccountsByUserId?.(site.ids.get(ADA) ?? "")).toHaveLength(1)
      expect(site.events).toEqual([])
    })

    it("is a normal sign-in if the browser has no session any more", async () => {
      const site = await startSite(start, strategy)
      const browser = site.app.browser({ now: () => site.time.now })
      const mail = METHODS[1] as Method
      await mail.signIn(browser, ADA, site)
      await submit(browser, "/auth/signin/mail", { email: EVE })
      await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
      expect(sessionCookies(browser)).toEqual([])
      await browser.get(site.mail.linkTo(EVE))
      expect(await site.readAuthentication(browser)).toMatchObject({ owner: site.ids.get(EVE), amr: ["email"] })
    })

    it("waits for an open requirement, and then confirms the same session", async () => {
      const open = { now: false }
      const terms: Requirement = { name: "terms", isOpen: () => open.now, page: "/terms" }
      const site = await startSite(start, strategy, { requirements: [terms] })
      const browser = site.app.browser({ now: () => site.time.now })
      const password = METHODS[0] as Method
      await password.signIn(browser, ADA, site)
      const before = await site.readAuthentication(browser)
      site.time.now += 5 * MINUTE
      open.now = true
      const pending = await password.confirm(browser, ADA, site)
      expect(new URL(pending.location).pathname).toBe("/terms")
      expect(await site.readAuthentication(browser)).toEqual(before)
      open.now = false
      expect((await meet(browser)).location).toBe(`${site.app.origin}/there`)
      const after = await site.readAuthentication(browser)
      expect([after?.id, (after?.authTime ?? 0) - (before?.authTime ?? 0)]).toEqual([before?.id, 300])
      expect(site.events.filter((name) => name === "signIn")).toHaveLength(1)
    })

    it("SEC-24: is refused after an open requirement if another user has signed in meanwhile", async () => {
      const open = { now: false }
      const terms: Requirement = { name: "terms", isOpen: () => open.now, page: "/terms" }
      const site = await startSite(start, strategy, { requirements: [terms] })
      const browser = site.app.browser({ now: () => site.time.now })
      const password = METHODS[0] as Method
      await password.signIn(browser, ADA, site)
      open.now = true
      await password.confirm(browser, ADA, site)
      open.now = false
      await password.signIn(browser, EVE, site)
      expect(param((await meet(browser)).location, "error")).toBe("AccountNotLinked")
      expect(await site.readAuthentication(browser)).toMatchObject({ owner: site.ids.get(EVE) })
    })
  }
  describeServers("with each method", tests, stages)
})

describeServers("The page that confirms a session", (start) => {
  it("offers only the methods that the user has", async () => {
    const site = await startSite(start, "jwt")
    const browser = site.app.browser({ now: () => site.time.now })
    const listActions = async (query: string) => {
      const page = await browser.get(`/auth/reauthenticate?${query}`)
      return browser.forms(await page.text()).map(({ action }) => new URL(action, site.app.origin).pathname)
    }
    await (METHODS[1] as Method).signIn(browser, ADA, site)
    const [password, passkey, link] = ["/auth/callback/credentials", "/auth/callback/passkey", "/auth/signin/mail"]
    expect(await listActions("max_age=600")).toEqual([password, link])
    await passkeys.register(browser, site.app.origin)
    expect(await listActions("")).toEqual([password, passkey, link])
    expect(await listActions("factors=2")).toEqual(["/auth/callback/passkey"])
    expect(await listActions("amr=hwk")).toEqual(["/auth/callback/passkey"])
    expect(await listActions("acr_values=phr")).toEqual([])
    const other = site.app.browser({ now: () => site.time.now })
    await (METHODS[4] as Method).signIn(other, EVE, site)
    const html = await (await other.get("/auth/reauthenticate?acr_values=phr&max_age=600")).text()
    const listQueries = (text: string) => other.forms(text).map(({ action }) => new URL(action, site.app.origin).search)
    expect(listQueries(html)).toEqual(["?max_age=600&acr_values=phr"])
    site.time.now += 20 * MINUTE
    const later = await (await other.get("/auth/reauthenticate?acr_values=phr&max_age=600")).text()
    expect(listQueries(later)).toEqual(["", "", "?max_age=600&acr_values=phr"])
    expect(decodeEntities(html)).toContain(EVE)
  })

  it("offers a passkey as a second factor only if the provider requires that the device verifies the user", async () => {
    const [mail, adapter] = [mailbox(), MemoryAdapter()]
    const optional = Passkey({ verifyAuthenticationOptions: { requireUserVerification: false } })
    const site = await startSite(start, "jwt", { adapter, providers: [mail.provider, optional] })
    const browser = site.app.browser()
    await askForLink(browser, ADA)
    await browser.get(mail.linkTo(ADA))
    await passkeys.register(browser, site.app.origin)
    const offers = async (query: string) => {
      const html = await (await browser.get(`/auth/reauthenticate?${query}`)).text()
      return html.includes("/auth/callback/passkey")
    }
    expect([await offers("factors=2"), await offers("amr=hwk"), await offers("max_age=600")]).toEqual([
      false,
      true,
      true,
    ])
  })

  it("does not offer to change the address after it has sent an email", async () => {
    const site = await startSite(start, "jwt")
    const browser = site.app.browser({ now: () => site.time.now })
    await (METHODS[1] as Method).signIn(browser, ADA, site)
    const read = async () => (await browser.get("/auth/verify-request")).text()
    await submit(browser, "/auth/signin/mail")
    const html = await read()
    expect(html).toContain("spam folder")
    expect(html).not.toContain('/auth/signin"')
    await askForLink(browser, EVE)
    expect(await read()).toContain('/auth/signin"')
  })

  it("does not offer OAuth 2, or a provider that does not state when it authenticated the user", async () => {
    const site = await startSite(start, "jwt")
    op.set({ discovery: (document) => ({ ...document, claims_supported: ["sub", "email"] }) })
    const browser = site.app.browser({ now: () => site.time.now })
    await signIn(browser, op)
    const html = await (await browser.get("/auth/reauthenticate")).text()
    expect(html).not.toContain("/auth/signin/oidc")
    await signIn(browser, op, { id: "oauth" })
    expect(await (await browser.get("/auth/reauthenticate")).text()).not.toContain("/auth/signin/oauth")
  })

  it("redirects visitors without a session to the sign-in page, with the same return URL", async () => {
    const { app } = await startSite(start, "jwt")
    const { location } = await openPage(app.browser())
    expect([new URL(location).pathname, param(location, "callbackUrl")]).toEqual([
      "/auth/signin",
      `${app.origin}/there`,
    ])
  })

  it("refuses a provider's response whose auth_time is too old or missing, or whose acr is wrong or missing", async () => {
    const site = await startSite(start, "jwt")
    const browser = site.app.browser({ now: () => site.time.now })
    await (METHODS[4] as Method).signIn(browser, ADA, site)
    const before = await site.readAuthentication(browser)
    const seconds = Math.floor(site.time.now / 1000)
    const query = "?max_age=600&acr_values=phr"
    const confirm = async (claims: object) => {
      op.set({ claims: (all) => ({ ...all, sub: ADA, email: ADA, ...claims }) })
      const csrfToken = await browser.csrf()
      const page = await browser.post(`/auth/signin/oidc${query}`, { csrfToken, reauthenticate: "true" })
      expect([param(page.location, "max_age"), param(page.location, "acr_values")]).toEqual(["600", "phr"])
      const { location } = await openCallback(browser, op, await op.authorize(page.location))
      return param(location, "error")
    }
    for (const claims of [
      { auth_time: seconds - 700, acr: "phr" },
      { auth_time: undefined, acr: "phr" },
      { auth_time: seconds, acr: "low" },
      { auth_time: seconds },
    ])
      expect(await confirm(claims)).toBe("OAuthCallbackError")
    expect(await site.readAuthentication(browser)).toEqual(before)
    expect(site.codes()).toContain("authentication-context-missing")
    expect(await confirm({ auth_time: seconds, acr: "phr" })).toBe("")
    expect(await site.readAuthentication(browser)).toMatchObject({ acr: "phr" })
  })

  it("keeps its query parameters after a failed attempt with any method", async () => {
    const site = await startSite(start, "jwt")
    const browser = site.app.browser({ now: () => site.time.now })
    for (const method of [METHODS[4], METHODS[0]]) await method?.signIn(browser, ADA, site)
    const required = { max_age: "60", factors: "2", acr_values: "phr & co", amr: "hwk pin" }
    const page = `/auth/reauthenticate?${new URLSearchParams({ callbackUrl: "/there", ...required })}`
    const formTo = async (action: string) => browser.form(await (await browser.get(page)).text(), action)
    site.time.now += 5 * MINUTE
    const { location } = await browser.submit(await formTo("/auth/signin/oidc"))
    expect(Object.fromEntries(new URL(location).searchParams)).not.toHaveProperty("factors")
    const denied = `${site.app.origin}/auth/callback/oidc?error=access_denied&state=${param(location, "state")}`
    for (const failed of [
      await browser.get(denied),
      await browser.submit(await formTo("/auth/callback/credentials"), { name: "unknown" }),
      await browser.submit(await formTo("/auth/signin/mail"), { email: "no address" }),
    ]) {
      const { pathname, searchParams } = new URL(failed.location)
      const { error, ...rest } = Object.fromEntries(searchParams)
      expect([pathname, rest]).toEqual([
        "/auth/reauthenticate",
        { callbackUrl: `${site.app.origin}/there`, ...required },
      ])
      expect(error).toBeTruthy()
    }
  })

  it("cannot be used by another site", async () => {
    const site = await startSite(start, "jwt")
    const browser = site.app.browser({ now: () => site.time.now })
    await (METHODS[1] as Method).signIn(browser, ADA, site)
    const page = await openPage(browser)
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    const forged = await browser.post("/auth/signin/mail", { email: ADA, reauthenticate: "true" })
    expect(param(forged.location, "error")).toBe("MissingCSRF")
    expect((await begin(browser)).status).toBe(302)
  })
})
