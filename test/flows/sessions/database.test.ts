import { setTimeout as pause } from "node:timers/promises"
import type { Adapter, AdapterSession, AdapterUser } from "../../../lib/adapters/adapter.js"
import type { AuthConfig, Session } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, type TestApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { until } from "../../support/wait.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const USER: AdapterUser = { id: "7", name: "ada", email: "a@x.test", emailVerified: null }

/** A minimal adapter for sessions of a single user. It is a class, as many adapters are. */
class Store implements Adapter {
  readonly rows = new Map<string, AdapterSession>()
  readonly calls: string[] = []
  /** True if the user was deleted but the session was not. */
  isUserGone = false
  /** Names of methods that fail. */
  readonly down = new Set<string>()
  /** How long each call takes. */
  delayMs = 0
  /** Each call awaits this. */
  held: () => Promise<void> = async () => {}

  async #enter(name: string): Promise<void> {
    this.calls.push(name)
    if (this.down.has(name)) throw new Error("connection refused by db.internal:5432")
    if (this.delayMs > 0) await pause(this.delayMs)
    await this.held()
  }
  async createSession(row: AdapterSession) {
    await this.#enter("createSession")
    this.rows.set(row.sessionToken, { ...row })
    return row
  }
  async getSessionAndUser(token: string) {
    // The row is read before the delay, as with a slow response.
    const session = this.rows.get(token)
    await this.#enter("getSessionAndUser")
    const user = this.isUserGone ? null : { ...USER }
    // A left join returns a session without its user; the type does not allow for that.
    return session ? { session: { ...session }, user: user as AdapterUser } : null
  }
  async updateSession(row: Partial<AdapterSession> & { sessionToken: string }) {
    await this.#enter("updateSession")
    const old = this.rows.get(row.sessionToken)
    if (!old) return null
    const updated = { ...old, ...row }
    this.rows.set(row.sessionToken, updated)
    return updated
  }
  async deleteSession(token: string) {
    await this.#enter("deleteSession")
    const row = this.rows.get(token)
    this.rows.delete(token)
    return row
  }
  createUser = async (user: AdapterUser) => user
  updateUser = async () => USER
  getUser = async () => USER
  getUserByEmail = async () => null
  getUserByAccount = async () => null
  linkAccount = async () => null
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("database sessions", (start, stage) => {
  async function startSignedIn(over: Partial<AuthConfig> = {}) {
    const store = new Store()
    const time = { now: Date.now() }
    const log = recordingLogger()
    const config = configOf({ adapter: store, clock: () => time.now, logger: log.logger, ...over })
    const arrived = { count: 0 }
    const setup = (server: TestApp) =>
      server.use((_req, _res, next) => {
        arrived.count++
        next()
      })
    const app = await start(config, { setup })
    const browser = app.browser({ now: () => time.now })
    await signIn(browser)
    const [token = ""] = [...store.rows.keys()]
    store.calls.length = 0
    return { app, browser, store, time, log, token, arrived, row: () => store.rows.get(token) }
  }

  it("expose only the public fields of the stored user", async () => {
    const { browser, row } = await startSignedIn()
    expect(await read(browser)).toEqual({
      user: { name: "ada", email: "a@x.test" },
      expires: row()?.expires.toISOString(),
    })
  })

  it("call the session callback with the arguments of Auth.js, and never the jwt callback", async () => {
    const calls: unknown[] = []
    const { browser, token, row } = await startSignedIn({
      callbacks: {
        jwt: () => {
          throw new Error("the jwt callback must not be called for database sessions")
        },
        session: (params) => {
          calls.push(params)
          return params.session
        },
      },
    })
    await read(browser)
    const { expires, userId } = row() ?? {}
    const session = { sessionToken: token, userId, expires, user: USER }
    expect(calls).toEqual([{ session, user: USER, newSession: undefined }])
  })

  it("pass posted data to the session callback", async () => {
    const posted: unknown[] = []
    const { browser } = await startSignedIn({
      callbacks: {
        session: ({ session, newSession, trigger }) => {
          posted.push({ newSession, trigger })
          return session
        },
      },
    })
    await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data: { name: "x" } })
    expect(posted).toEqual([{ newSession: { name: "x" }, trigger: "update" }])
  })

  it("are extended when due; the response has the previous expiry", async () => {
    const { browser, time, row } = await startSignedIn()
    const before = row()?.expires
    time.now += 2 * DAY
    expect((await read(browser)).expires).toBe(before?.toISOString())
    expect(row()?.expires.getTime()).toBe(time.now + 30 * DAY)
  })

  it("SES-07: are written at most once per updateAge", async () => {
    const { browser, store, time } = await startSignedIn()
    for (let i = 0; i < 50; i++) await read(browser, i % 2 ? "/me" : "/auth/session")
    expect(store.calls.filter((name) => name === "updateSession")).toEqual([])
    time.now += DAY + 1000
    for (let i = 0; i < 50; i++) await read(browser, i % 2 ? "/me" : "/auth/session")
    expect(store.calls.filter((name) => name === "updateSession")).toHaveLength(1)
  })

  it("SES-07: are written at each read with updateAge 0", async () => {
    const { browser, store } = await startSignedIn({ session: { updateAge: 0 } })
    for (let i = 0; i < 20; i++) await read(browser)
    expect(store.calls.filter((name) => name === "updateSession")).toHaveLength(20)
  })

  it("send the extended cookie with the application's response", async () => {
    const { browser, time, token } = await startSignedIn()
    time.now += 2 * DAY
    const [cookie] = (await browser.get("/me")).headers.getSetCookie()
    expect(cookie).toContain(`${NAME}=${token}; `)
    expect(cookie).toContain(new Date(Math.floor((time.now + 30 * DAY) / 1000) * 1000).toUTCString())
  })

  it("ADV-30: are deleted when they have expired, and not extended", async () => {
    const { browser, store, time, token } = await startSignedIn()
    const thief = browser.clone()
    time.now += 30 * DAY - 1000
    thief.setCookie(NAME, token)
    time.now += 2000
    thief.setCookie(NAME, token)
    const page = await thief.get("/auth/session")
    expect([await page.json(), thief.cookie(NAME)]).toEqual([null, undefined])
    expect(store.calls).toEqual(["getSessionAndUser", "deleteSession"])
    expect(store.rows.size).toBe(0)
  })

  it("are invalid if their expiry cannot be read, which is logged once", async () => {
    const { browser, store, token, log } = await startSignedIn()
    const { expires, ...row } = store.rows.get(token) as AdapterSession
    store.rows.set(token, { ...row, expires_at: expires } as unknown as AdapterSession)
    expect([await read(browser, "/me"), await read(browser), browser.cookie(NAME)]).toEqual([null, null, undefined])
    expect([...log.records]).toMatchObject([
      {
        level: "error",
        error: {
          type: "AdapterError",
          message: expect.stringContaining("whose `expires` is not a date"),
          cause: { method: "getSessionAndUser", hint: expect.stringContaining("as a Date") },
        },
      },
    ])
  })

  it("are null for an unknown token, and the cookie is cleared", async () => {
    const { app } = await startSignedIn()
    const browser = app.browser()
    browser.setCookie(NAME, "00000000-0000-0000-0000-000000000000")
    expect([await read(browser), browser.cookie(NAME)]).toEqual([null, undefined])
  })

  it("ADV-26: end at once if they were deleted with their user", async () => {
    const { browser, store } = await startSignedIn()
    store.rows.clear()
    expect([await read(browser, "/me"), browser.cookie(NAME)]).toEqual([null, undefined])
  })

  it("ADV-26: end if only their user was deleted, and a new sign-in works", async () => {
    const { browser, store, token } = await startSignedIn({ callbacks: { session: ({ session }) => session } })
    store.isUserGone = true
    expect([await read(browser, "/me"), browser.cookie(NAME)]).toEqual([null, undefined])
    browser.setCookie(NAME, token)
    await signIn(browser)
    store.isUserGone = false
    expect([await read(browser), store.rows.size]).toMatchObject([{ userId: USER.id }, 1])
  })

  it("SES-08, ADV-17: are replaced by a new session at each sign-in", async () => {
    const { app, browser, store, token } = await startSignedIn()
    const before = browser.clone()
    await signIn(browser)
    expect(store.rows.size).toBe(1)
    expect(browser.cookie(NAME)).not.toBe(token)
    expect(await read(before)).toBeNull()
    const victim = app.browser()
    victim.setCookie(NAME, "chosen by an attacker")
    await signIn(victim)
    expect(store.rows.has("chosen by an attacker")).toBe(false)
    expect(victim.cookie(NAME)).not.toBe("chosen by an attacker")
  })

  it("are deleted at sign-out, and the event contains the session", async () => {
    const emitted: unknown[] = []
    const { browser, store, token } = await startSignedIn({
      events: { signOut: (message) => void emitted.push(message) },
    })
    const thief = browser.clone()
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([store.rows.size, browser.cookie(NAME)]).toEqual([0, undefined])
    expect(emitted).toEqual([{ session: expect.objectContaining({ sessionToken: token, userId: "7" }) }])
    expect(await read(thief)).toBeNull()
  })

  it("SES-04: lead to an error page if the sign-out cannot delete them; the cookie is cleared", async () => {
    const emitted: unknown[] = []
    const { app, browser, store, log } = await startSignedIn({
      events: { signOut: (message) => void emitted.push(message) },
    })
    const csrfToken = await browser.csrf()
    store.down.add("deleteSession")
    log.records.length = 0
    const page = await browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" })
    expect([page.status, page.location]).toEqual([302, `${app.origin}/auth/error?error=SignOutError`])
    expect([browser.cookie(NAME), emitted]).toEqual([undefined, []])
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "SignOutError" }])
  })

  it.each(["getSessionAndUser", "updateSession"])(
    "FLT-14: result in 503 and not in null while the adapter is down (%s)",
    async (name) => {
      const { app, browser, store, time, log, token } = await startSignedIn()
      time.now += 2 * DAY
      store.down.add(name)
      log.records.length = 0
      for (const path of ["/auth/session", "/me"]) {
        const page = await browser.get(path)
        expect([path, page.status, page.headers.getSetCookie()]).toEqual([path, 503, []])
        expect(await page.text()).not.toContain("db.internal")
      }
      expect(browser.cookie(NAME)).toBe(token)
      if (stage !== "Auth()") expect(app.errors).toMatchObject([{ type: "AdapterError", status: 503, expose: false }])
      store.down.clear()
      expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
    },
  )

  it("FLT-14: lead to an error page if they cannot be created", async () => {
    const { app, store } = await startSignedIn()
    store.down.add("createSession")
    const browser = app.browser()
    const page = await signIn(browser)
    expect([page.location, browser.cookie(NAME)]).toEqual([`${app.origin}/auth/error?error=Configuration`, undefined])
  })

  it("SES-02: have unique random tokens of 43 characters", async () => {
    const { app, store } = await startSignedIn({ rateLimit: false })
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const fields = { csrfToken, username: "ada", password: "right" }
    for (let i = 0; i < 200; i++) {
      const headers = { cookie: browser.cookieHeader() }
      await app.browser().post("/auth/callback/credentials", fields, { headers })
    }
    const tokens = [...store.rows.keys()]
    expect(tokens).toHaveLength(201)
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/)
  })

  it("accept tokens from generateSessionToken, and warn about short ones", async () => {
    let count = 0
    const long = await startSignedIn({
      session: { generateSessionToken: () => `of-our-own-and-long-enough-${++count}` },
    })
    expect([long.token, long.log.records.some(({ code }) => code === "short-session-token")]).toEqual([
      "of-our-own-and-long-enough-1",
      false,
    ])
    const short = await startSignedIn({ session: { generateSessionToken: () => `short-${++count}` } })
    expect(short.log.records.filter(({ code }) => code === "short-session-token")).toHaveLength(1)
  })

  it.each<[string, () => unknown]>([
    ["a promise", async () => "a token that comes later"],
    ["undefined", () => {}],
    ["an empty string", () => ""],
  ])("are not created if generateSessionToken returns %s", async (_what, generate) => {
    const generateSessionToken = generate as () => string
    const { store, browser, log } = await startSignedIn({ session: { generateSessionToken } })
    expect([store.rows.size, browser.cookie(NAME)]).toEqual([0, undefined])
    expect(log.text()).toContain("session.generateSessionToken must return a non-empty string")
  })

  it("are null and emit no event if the session callback returns nothing", async () => {
    const emitted: unknown[] = []
    const session = (() => undefined) as unknown as () => Session
    const events: AuthConfig["events"] = { session: (message) => void emitted.push(message) }
    const { browser, token } = await startSignedIn({ callbacks: { session }, events })
    for (const path of ["/me", "/auth/session"]) expect(await (await browser.get(path)).text()).toBe("null")
    expect([emitted, browser.cookie(NAME)]).toEqual([[], token])
  })

  const request = (browser: Browser, path = "/auth/session") => browser.clone().get(path)
  const count = (store: Store, name: string) => store.calls.filter((call) => call === name).length

  it("FLT-15: are read once and extended once for concurrent requests", async () => {
    const { browser, store, time, row, arrived } = await startSignedIn()
    const tenAtOnce = async () => {
      arrived.count = 0
      // The store responds when all requests have arrived. With Auth(), they have arrived after the pause.
      store.held = async () => {
        await pause(20)
        if (stage !== "Auth()") await until(() => arrived.count >= 10)
      }
      return Promise.all(times(10, (i) => request(browser, i % 2 ? "/me" : "/auth/session")))
    }
    const pages = await tenAtOnce()
    expect(pages.map(({ status }) => status)).toEqual(times(10, () => 200))
    expect(store.calls).toEqual(["getSessionAndUser"])
    time.now += 2 * DAY
    store.calls.length = 0
    const extendedPages = await tenAtOnce()
    expect(store.calls).toEqual(["getSessionAndUser", "updateSession"])
    for (const page of extendedPages) expect(page.headers.getSetCookie()).toHaveLength(1)
    expect(row()?.expires.getTime()).toBe(time.now + 30 * DAY)
  })

  it("FLT-15: are not shared between requests with different tokens", async () => {
    const { app, browser, store } = await startSignedIn()
    store.delayMs = 30
    const other = app.browser()
    other.setCookie(NAME, "00000000-0000-0000-0000-000000000000")
    const [mine, theirs] = await Promise.all([request(browser), request(other)])
    expect([await mine.json(), await theirs.json()]).toEqual([
      expect.objectContaining({ user: expect.anything() }),
      null,
    ])
    expect(count(store, "getSessionAndUser")).toBe(2)
  })

  it("are read again after a failed read", async () => {
    const { browser, store } = await startSignedIn()
    store.down.add("getSessionAndUser")
    const pages = await Promise.all(times(5, () => request(browser)))
    expect(pages.map(({ status }) => status)).toEqual(times(5, () => 503))
    store.down.clear()
    expect((await request(browser)).status).toBe(200)
  })

  if (stage === "Express 5" || stage === "Auth()")
    it("FLT-15: result in 503 after five seconds, and other requests are served meanwhile", async () => {
      const { app, browser, store } = await startSignedIn()
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      store.held = () => released
      const startedAt = performance.now()
      const waiting = Promise.all(["/auth/session", "/me", "/me"].map((path) => request(browser, path)))
      expect((await app.browser().get("/public")).status).toBe(200)
      expect(performance.now() - startedAt).toBeLessThan(2_000)
      const pages = await waiting
      expect(pages.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(performance.now() - startedAt).toBeLessThan(7_000)
      for (const page of pages) expect(page.headers.getSetCookie()).toEqual([])
      expect(count(store, "getSessionAndUser")).toBe(1)
      release()
      expect((await request(browser)).status).toBe(200)
    })
})
