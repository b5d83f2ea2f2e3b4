/** An old session whose user has to meet a requirement: the migration waits, and the old session is kept. */
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { type MigrateSessionOptions, migrateSession } from "../../lib/index.js"
import { MemoryStore } from "../../lib/store/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer, SERVERS, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { createTerms, meet, requirementPages } from "../support/requirements.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf } from "./support/servers.js"

failOnUnhandled()

const PENDING = "authjs.pending-sign-in"
const SESSION = "authjs.session-token"
const ADA = { name: "Ada", email: "ada@example.com" }
const DAY = 24 * 60 * 60 * 1000
const DATA = { terms: { version: 3 } }

interface SiteOptions {
  readonly config?: Partial<AuthConfig>
  readonly options?: Partial<MigrateSessionOptions>
}

/** An application with a requirement, and a browser with an old session. */
async function startSite(start: Start, { config: over, options }: SiteOptions = {}) {
  const [terms, adapter, time] = [createTerms(), MemoryAdapter(), { now: Date.now() }]
  const calls: string[] = []
  const events: { name: string; data: unknown }[] = []
  const record = (name: string) => (message: { data?: unknown }) => void events.push({ name, data: message.data })
  const config = configOf({
    ...{ adapter, requirements: [terms], clock: () => time.now },
    callbacks: { signIn: () => false },
    events: { signIn: record("signIn"), createUser: record("createUser") },
    ...over,
  })
  const migrate = migrateSession(config, {
    cookie: "old.sid",
    until: new Date(Date.now() + DAY),
    read: async () => {
      calls.push("read")
      return { user: ADA }
    },
    end: () => void calls.push("end"),
    ...options,
  })
  const app = await start(config, {
    setup: (server) => server.use((req, res, next) => migrate(req, res, next)),
    ...requirementPages(),
  })
  const browser = app.browser()
  browser.setCookie("old.sid", "1")
  return { app, adapter, browser, calls, events, terms, time }
}

const sessionAt = async (browser: Browser): Promise<unknown> => (await browser.get("/me")).json()
const pendingAt = async (browser: Browser): Promise<unknown> => (await browser.get("/terms")).json()
const namesIn = (browser: Browser) =>
  browser
    .cookies()
    .map(({ name }) => name)
    .sort()

for (const stage of SERVERS)
  describeServer("migrateSession with an open requirement", stage, (start) => {
    it("waits, keeps the old session and stores no user, and the request is anonymous", async () => {
      const { adapter, browser, calls, events } = await startSite(start)
      expect(await sessionAt(browser)).toBeNull()
      expect(namesIn(browser)).toEqual([PENDING, "old.sid"])
      expect([await adapter.getUserByEmail(ADA.email), calls, events]).toEqual([null, ["read"], []])
    })

    it("creates the session once the requirement is met, and then ends the old session", async () => {
      const { adapter, app, browser, calls, events } = await startSite(start)
      await browser.get("/public?page=2")
      expect(await pendingAt(browser)).toMatchObject({
        ...{ requirement: "terms", isNewUser: true, user: ADA },
        account: { provider: "credentials", type: "credentials" },
      })
      const { location } = await meet(browser)
      expect(new URL(location, app.origin).href).toBe(`${app.origin}/public?page=2`)
      expect([namesIn(browser), calls]).toEqual([expect.arrayContaining([SESSION, "old.sid"]), ["read"]])
      expect(await sessionAt(browser)).toMatchObject({ user: ADA })
      expect(namesIn(browser).filter((name) => name === PENDING || name === "old.sid")).toEqual([])
      expect(calls).toEqual(["read", "end"])
      expect((await adapter.getUserByEmail(ADA.email))?.emailVerified).toBeInstanceOf(Date)
      expect(events).toEqual(["createUser", "signIn"].map((name) => ({ name, data: DATA })))
    })

    it("shows the waiting sign-in to the request that started it", async () => {
      const { browser } = await startSite(start)
      expect(await pendingAt(browser)).toMatchObject({ requirement: "terms" })
    })

    it("waits once, for as long as the sign-in can be continued", async () => {
      const { browser, calls, time } = await startSite(start)
      await browser.get("/public")
      const first = browser.cookie(PENDING)
      const page = await browser.get("/public")
      expect([page.headers.getSetCookie(), calls]).toEqual([[], ["read"]])
      // The browser may still send the cookie of a sign-in that has ended.
      time.now += 601_000
      browser.setCookie(PENDING, first ?? "")
      await browser.get("/public")
      expect(calls).toEqual(["read", "read"])
      expect(browser.cookie(PENDING)).not.toBe(first)
      expect(await pendingAt(browser)).toMatchObject({ requirement: "terms" })
    })

    it("lets 20 parallel first requests wait for the same requirement, which is met once", async () => {
      const { app, calls, events } = await startSite(start, {
        options: {
          read: async () => {
            calls.push("read")
            await new Promise((resolve) => setTimeout(resolve, 200))
            return { user: ADA }
          },
        },
      })
      const browsers = Array.from({ length: 20 }, () => app.browser())
      for (const browser of browsers) browser.setCookie("old.sid", "1")
      expect(await Promise.all(browsers.map(sessionAt))).toEqual(Array(20).fill(null))
      expect(new Set(browsers.map((browser) => browser.cookie(PENDING))).size).toBe(1)
      expect(calls).toEqual(["read"])
      await Promise.all(browsers.map((browser) => meet(browser)))
      const sessions = browsers.filter((browser) => browser.cookie(SESSION) !== undefined)
      expect(sessions).toHaveLength(1)
      expect(events.map(({ name }) => name)).toEqual(["createUser", "signIn"])
    })
  })

describeServer("migrateSession with requirements", "Express 5", (start) => {
  it("migrates at once if none is open", async () => {
    const { browser, events, terms } = await startSite(start)
    terms.accepted.add(ADA.email)
    expect(await sessionAt(browser)).toMatchObject({ user: ADA })
    expect([namesIn(browser).includes(PENDING), events]).toEqual([false, [{ name: "createUser", data: undefined }]])
  })

  it("asks about the stored user, whose unverified accounts stay until the requirement is met", async () => {
    const asked: unknown[] = []
    const { adapter, browser } = await startSite(start, {
      config: {
        requirements: [
          {
            ...createTerms(),
            isOpen: ({ user, isNewUser }) => asked.push([user.id, isNewUser]) > 0,
          },
        ],
      },
    })
    await adapter.createUser({ id: "attacker", ...ADA, emailVerified: null })
    const evil = { provider: "evil", providerAccountId: "7", type: "oidc", userId: "attacker" } as const
    await adapter.linkAccount({ ...evil, verifiedEmail: "eve@evil.test" })
    expect(await sessionAt(browser)).toBeNull()
    expect(asked).toEqual([["attacker", false]])
    expect(await adapter.listAccountsByUserId("attacker")).toHaveLength(1)
    await meet(browser)
    expect(await sessionAt(browser)).toMatchObject({ user: ADA })
    expect(await adapter.listAccountsByUserId("attacker")).toEqual([])
  })

  it("links the account of the old session when the requirement is met", async () => {
    const account = { provider: "google", providerAccountId: "g-1", type: "oidc" } as const
    const { adapter, browser } = await startSite(start, { options: { read: () => ({ user: ADA, account }) } })
    await browser.get("/public")
    expect(await adapter.getUserByAccount(account)).toBeNull()
    await meet(browser)
    expect(await adapter.getUserByAccount(account)).toMatchObject(ADA)
  })

  it("is refused if the user is another one by now", async () => {
    const { adapter, browser } = await startSite(start)
    await browser.get("/public")
    await adapter.createUser({ id: "other", ...ADA, emailVerified: new Date() })
    expect((await meet(browser)).location).toContain("error=")
    expect(browser.cookie(SESSION)).toBeUndefined()
  })

  it("keeps the id of a user without an adapter", async () => {
    const callbacks: AuthConfig["callbacks"] = { session: ({ session, token }) => ({ ...session, id: token.sub }) }
    const { browser } = await startSite(start, {
      config: { adapter: undefined, store: MemoryStore(), callbacks } as Partial<AuthConfig>,
    })
    await browser.get("/public")
    await meet(browser)
    expect(await sessionAt(browser)).toMatchObject({ user: ADA, id: expect.stringMatching(/^[\da-f-]{36}$/) })
  })

  it("waits again after the sign-in was cancelled", async () => {
    const { browser, calls } = await startSite(start)
    const { cancelUrl } = Object(await pendingAt(browser))
    await browser.get(cancelUrl)
    expect(namesIn(browser)).not.toContain(PENDING)
    expect(await sessionAt(browser)).toBeNull()
    expect(namesIn(browser)).toEqual(expect.arrayContaining([PENDING, "old.sid"]))
    expect(calls).toEqual(["read", "read"])
  })
})
