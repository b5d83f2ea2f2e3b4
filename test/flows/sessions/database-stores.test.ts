/**
 * Database sessions on every kind of store.
 *
 * @module
 */
import type { AdapterUser } from "../../../lib/adapters/adapter.js"
import Credentials from "../../../lib/providers/credentials.js"
import { runtimeFor } from "../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, recordingLogger, type StageName } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { type Breakable, breakable } from "../support/breakable.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

/** Each store is tested with a different server. */
const STAGES: Readonly<Record<string, StageName>> = {
  SQLite: "Connect",
  PostgreSQL: "Express 4",
  MariaDB: "Express 5",
  memory: "Auth()",
}

describeStores("database session", (kind) => {
  describeServer(kind.name, STAGES[kind.name] ?? "Express 5", (start) => {
    const time = { now: 0 }
    let store: OpenStore
    let control: Breakable
    let ada: AdapterUser
    beforeEach(async () => {
      time.now = Date.now()
      store = await kind.create({ now: () => time.now })
      control = breakable(store.adapter)
      ada = await store.adapter.createUser({ id: "", name: "ada", email: "ada@x.test", emailVerified: null })
    })
    afterEach(() => store.close())

    async function startSignedIn(over: Partial<AuthConfig> = {}) {
      const { logger, records } = recordingLogger()
      const providers = [Credentials({ authorize: () => ({ id: ada.id, name: "ada" }) })]
      const config = { adapter: control.adapter, clock: () => time.now, rateLimit: false as const, providers, logger }
      const app = await start(configOf({ ...config, ...over }))
      const browser = app.browser({ now: () => time.now })
      await signIn(browser)
      records.length = 0
      return { app, browser, token: browser.cookie(NAME) ?? "", records, config }
    }

    /** A copy of the browser with a cookie that the browser no longer has. */
    const createThief = (browser: Browser, token: string) => {
      const thief = browser.clone()
      thief.setCookie(NAME, token)
      return thief
    }
    const sessions = async () => (await store.counts()).sessions
    const signOut = async (browser: Browser) => browser.post("/auth/signout", { csrfToken: await browser.csrf() })

    it("SES-02: has a unique token of 256 random bits", async () => {
      const { config, browser, token } = await startSignedIn()
      expect([token, browser.cookies().find(({ name }) => name === NAME)?.httpOnly]).toEqual([
        expect.stringMatching(/^[\w-]{22}\.[\w-]{43}$/),
        true,
      ])
      const runtime = runtimeFor(configOf(config))
      const cookieSet = runtime.cookieSetFor("http://app.test")
      const account = { provider: "credentials", providerAccountId: ada.id, type: "credentials" as const }
      const authentication = { id: "1", owner: ada.id, provider: "credentials", method: "credentials", amr: [] }
      const tokens = new Set([token])
      // Fewer in a database, which is slow; the tokens are generated in the same way.
      const count = kind.name === "memory" ? 10_000 : 50
      for (let i = 0; i < count; i++) {
        const newSession = { user: ada, account, authentication }
        const { cookies: changes } = await runtime.sessions.create(newSession, { cookies: {}, cookieSet })
        for (const change of changes) if ("put" in change) tokens.add(change.value)
      }
      expect([tokens.size, await sessions()]).toEqual([count + 1, count + 1])
    })

    it("SES-09: is stored under a hash, and no stored value is a valid token", async () => {
      const { app, browser, token } = await startSignedIn()
      const dump = await store.dump()
      expect(dump).not.toContain(token)
      // Values that an attacker can find in the store.
      const words = [...new Set(dump.match(/[\w+/=-]{20,}/g) ?? [])].filter((word) => word.length < 200)
      for (const word of words.slice(0, 50)) {
        const thief = app.browser()
        thief.setCookie(NAME, encodeURIComponent(word))
        expect([word, await read(thief)]).toEqual([word, null])
      }
      expect(words.length).toBeGreaterThan(0)
      expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    })

    it("SES-03: is null for every copy after the sign-out", async () => {
      const { browser, token } = await startSignedIn()
      await signOut(browser)
      for (const path of ["/auth/session", "/me"]) {
        const thief = createThief(browser, token)
        expect([await read(thief, path), thief.cookie(NAME)]).toEqual([null, undefined])
      }
      expect(await sessions()).toBe(0)
    })

    it("SES-04: leads to an error page if the sign-out cannot delete it", async () => {
      const { app, browser, token, records } = await startSignedIn()
      const csrfToken = await browser.csrf()
      control.fail("deleteSession", 2)
      const page = await browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" })
      expect([page.status, page.location]).toEqual([302, `${app.origin}/auth/error?error=SignOutError`])
      expect(browser.cookie(NAME)).toBeUndefined()
      expect(records.filter(({ level }) => level === "error")).toMatchObject([{ code: "SignOutError" }])
      // The session is still valid, and the next sign-out ends it.
      control.fail("deleteSession", 0)
      const again = createThief(browser, token)
      expect(await read(again)).toMatchObject({ user: { name: "ada" } })
      await signOut(again)
      expect([await read(createThief(browser, token)), await sessions()]).toEqual([null, 0])
    })

    it("SES-04: leads to an error page if the store is down at the sign-out", async () => {
      const { app, browser } = await startSignedIn()
      const csrfToken = await browser.csrf()
      control.isDown = true
      const page = await browser.post("/auth/signout", { csrfToken })
      expect(page.location).toBe(`${app.origin}/auth/error?error=SignOutError`)
      control.isDown = false
      expect(await sessions()).toBe(1)
    })

    it("SES-06: is deleted after maxAge without use", async () => {
      const { browser, token } = await startSignedIn()
      time.now += 30 * DAY - 1000
      expect(await read(browser.clone())).not.toBeNull()
      const other = await startSignedIn()
      time.now += 30 * DAY + 1000
      for (const [owner, value] of [[browser, token] as const, [other.browser, other.token] as const]) {
        const thief = createThief(owner, value)
        expect([await read(thief), thief.cookie(NAME)]).toEqual([null, undefined])
      }
      expect(await sessions()).toBe(0)
    })

    it("SES-07: is written at most once per updateAge", async () => {
      const writes: unknown[] = []
      const adapter = {
        ...control.adapter,
        updateSession: (change: Parameters<typeof store.adapter.updateSession>[0]) => {
          writes.push(change)
          return store.adapter.updateSession(change)
        },
      }
      const { browser } = await startSignedIn({ adapter })
      for (let i = 0; i < 20; i++) await read(browser, i % 2 ? "/me" : "/auth/session")
      expect(writes).toEqual([])
      time.now += DAY + 1000
      for (let i = 0; i < 20; i++) await read(browser, i % 2 ? "/me" : "/auth/session")
      expect(writes).toHaveLength(1)
    })

    it("SES-08: is replaced at each sign-in, and every copy of the old one ends", async () => {
      const { browser, token } = await startSignedIn()
      const old = browser.clone()
      await signIn(browser)
      expect(browser.cookie(NAME)).not.toBe(token)
      expect([await read(old), await sessions()]).toEqual([null, 1])
      expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    })

    it("SES-08: never has a token that an attacker has chosen", async () => {
      const { app } = await startSignedIn()
      for (const chosen of ["chosen by an attacker", "x".repeat(3_000), "a'b\"c;--", "%00"]) {
        const victim = app.browser()
        victim.setCookie(NAME, encodeURIComponent(chosen))
        expect(await read(victim)).toBeNull()
        victim.setCookie(NAME, encodeURIComponent(chosen))
        await signIn(victim)
        expect(victim.cookie(NAME)).toMatch(/^[\w-]{22}\.[\w-]{43}$/)
        expect(await read(createThief(app.browser(), encodeURIComponent(chosen)))).toBeNull()
      }
    })

    it("SES-10: is read next to cookies of the same name from a sibling host", async () => {
      const { browser } = await startSignedIn()
      for (const path of ["/auth", "/me"]) browser.setCookie(NAME, "junk", { path })
      for (const path of ["/auth/session", "/me"])
        expect(await read(browser, path)).toMatchObject({ user: { name: "ada" } })
    })

    it("is found only by its exact token", async () => {
      const { app, token } = await startSignedIn()
      const flip = token.replace(/[a-z]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      )
      for (const near of [
        flip,
        `${token} `,
        ` ${token}`,
        `${token}\u0000`,
        `${token}x`,
        token.slice(0, -1),
        "%",
        "_",
      ]) {
        const thief = app.browser()
        thief.setCookie(NAME, encodeURIComponent(near))
        expect([near, await read(thief)]).toEqual([near, null])
      }
    })
  })
})
