import { randomUUID } from "node:crypto"
import type { RequestListener } from "node:http"
import express, { type Express } from "express"
import express4 from "express4"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import {
  authMiddleware,
  type LegacySession,
  type MigrateSessionOptions,
  migrateSession,
  requireAuth,
} from "../../lib/index.js"
import { MemoryStore } from "../../lib/store/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import type { Page } from "../support/browser.js"
import { recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { until } from "../support/wait.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()
const DAY = 24 * 60 * 60 * 1000

/** A legacy session library with a server-side store and a random id in the cookie. */
function legacyLibrary() {
  const rows = new Map<string, LegacySession>()
  const seen = { reads: 0 }
  const idIn = (cookie = "") => /old\.sid=([^;]*)/.exec(cookie)?.[1] ?? ""
  return {
    ...{ rows, seen },
    signIn(user: LegacySession["user"], account?: LegacySession["account"]): string {
      const id = randomUUID()
      rows.set(id, { user, ...(account && { account }) })
      return id
    },
    options: {
      cookie: "old.sid",
      until: new Date(Date.now() + 30 * DAY),
      read: async ({ headers }) => {
        seen.reads++
        return rows.get(idIn(headers.cookie))
      },
      end: ({ headers }) => void rows.delete(idIn(headers.cookie)),
    } satisfies MigrateSessionOptions,
  }
}

const ADA = { id: "7", name: "Ada", email: "ada@example.com" }

interface SiteOptions {
  readonly create?: () => Express
  readonly config?: Partial<AuthConfig>
  readonly options?: Partial<MigrateSessionOptions>
}

/** An application that has migrated, and a browser with a legacy session. */
async function migratedSite({ create = express, config: over, options }: SiteOptions = {}) {
  const legacy = legacyLibrary()
  const log = recordingLogger()
  const events: string[] = []
  const record = (name: string) => () => void events.push(name)
  const config = configOf({
    logger: log.logger,
    events: { signIn: record("signIn"), createUser: record("createUser"), linkAccount: record("linkAccount") },
    ...over,
  })
  const app = create()
  const errors: unknown[] = []
  app.use(migrateSession(config, { ...legacy.options, ...options }))
  app.use(authMiddleware(config))
  app.get("/me", async (req, res) => void res.json(await req.getSession()))
  app.post("/transfer", async (req, res) => void res.json(await req.getSession()))
  app.get("/guarded", requireAuth, (req, res) => void res.json(req.auth.user))
  app.get("/public", (_req, res) => void res.json("public"))
  app.use((error: Error & { status?: number }, _req: unknown, res: express.Response, _next: express.NextFunction) => {
    errors.push(error)
    res.status(error.status ?? 500).json(error.message)
  })
  const server = await serve(app as RequestListener)
  const browserOf = (user: LegacySession["user"] = ADA, account?: LegacySession["account"]) => {
    const browser = server.browser()
    browser.setCookie("old.sid", legacy.signIn(user, account))
    return browser
  }
  return { ...{ legacy, config, server, errors, events, log, browserOf }, browser: browserOf() }
}

type Site = Awaited<ReturnType<typeof migratedSite>>
type SiteBrowser = Site["browser"]

const userNameAt = async (browser: SiteBrowser, path = "/me"): Promise<string | null> => {
  const session: unknown = await (await browser.get(path)).json()
  return Object(Object(session).user).name ?? null
}

const signOut = async (browser: SiteBrowser) =>
  browser.post("/auth/signout", { csrfToken: await browser.csrf() }).then(({ status }) => expect(status).toBe(302))

const EXPRESS = { "Express 5": express, "Express 4": express4 as unknown as () => Express }
const STRATEGIES = {
  "jwt sessions": () => ({}),
  "database sessions": () => ({ adapter: MemoryAdapter() }),
}

describe.each(Object.entries(EXPRESS))("migrateSession on %s", (_, create) => {
  describe.each(Object.entries(STRATEGIES))("with %s", (__, configure) => {
    const createSite = (siteOptions: SiteOptions = {}) =>
      migratedSite({ create, ...siteOptions, config: { ...configure(), ...siteOptions.config } })

    it("signs in no user whom isActive refuses, stores nothing, and clears the old cookie", async () => {
      const asked: unknown[] = []
      const isActive: AuthConfig["isActive"] = ({ email }) => {
        asked.push(email)
        return email !== ADA.email
      }
      const { browser, browserOf, config, events, errors } = await createSite({
        config: { isActive, store: MemoryStore() },
      })
      const page = await browser.get("/me")
      expect([page.status, await page.json(), browser.cookies(), asked]).toEqual([200, null, [], [ADA.email]])
      expect(await config.adapter?.getUserByEmail?.(ADA.email)).toBe(config.adapter && null)
      expect([events, errors]).toEqual([[], []])
      expect(await userNameAt(browserOf({ ...ADA, id: "8", name: "Bob", email: "bob@example.com" }))).toBe("Bob")
    })

    it("signs in a browser with a legacy session, in the same response", async () => {
      const { browser } = await createSite()
      const page = await browser.get("/guarded")
      expect(page.status).toBe(200)
      expect(browser.cookie("authjs.session-token")).toBeDefined()
      expect(page.headers.get("cache-control")).toContain("no-store")
      expect(await userNameAt(browser)).toBe("Ada")
    })

    it("signs in at /auth/session and at routes that do not read the session", async () => {
      const { browserOf } = await createSite()
      expect(await userNameAt(browserOf(), "/auth/session")).toBe("Ada")
      const browser = browserOf()
      await browser.get("/public")
      expect(browser.cookie("authjs.session-token")).toBeDefined()
    })

    it("ends the legacy session and clears its cookie once the browser sends the new cookie", async () => {
      const { browser, legacy } = await createSite()
      await browser.get("/me")
      // The response with the new cookie might have been lost.
      expect([legacy.rows.size, browser.cookie("old.sid")]).toEqual([1, expect.any(String)])
      await browser.get("/public")
      expect([legacy.rows.size, browser.cookie("old.sid")]).toEqual([0, undefined])
      expect(await userNameAt(browser)).toBe("Ada")
    })

    it("keeps the user signed out after signing out, even if the browser still sends the legacy cookie", async () => {
      const { browser, legacy, log } = await createSite({
        options: { end: () => {}, cookieOptions: { path: "/elsewhere" } },
      })
      await browser.get("/me")
      const copy = browser.cookie("old.sid") ?? ""
      await signOut(browser)
      expect(browser.cookie("old.sid")).toBe(copy)
      expect([await userNameAt(browser), await userNameAt(browser)]).toEqual([null, null])
      expect(legacy.seen.reads).toBe(1)
      const warnings = log.records.filter(({ code }) => code === "old-cookie-not-cleared")
      expect(warnings).toHaveLength(1)
      expect(String(warnings[0]?.args[1])).toContain("cookieOptions")
    })

    it("ignores the legacy cookie in a cross-site POST", async () => {
      const { browser, legacy, server } = await createSite()
      const posted = await browser.request("/transfer", {
        method: "POST",
        from: "https://evil.test",
        headers: { cookie: `old.sid=${browser.cookie("old.sid")}` },
      })
      expect(await posted.json()).toBeNull()
      expect([legacy.seen.reads, posted.headers.getSetCookie()]).toEqual([0, []])
      const own = await browser.request("/transfer", { method: "POST", from: server.address })
      expect(await own.json()).toMatchObject({ user: { name: "Ada" } })
    })

    it("ignores a copy of the legacy cookie after the migrated session has ended", async () => {
      const { browser, server } = await createSite()
      await browser.get("/me")
      const thief = server.browser()
      thief.setCookie("old.sid", browser.cookie("old.sid") ?? "")
      await signOut(browser)
      expect(await userNameAt(thief)).toBeNull()
      expect(thief.cookie("old.sid")).toBeUndefined()
    })

    it("ignores a legacy cookie without a session, and clears it", async () => {
      const { server } = await createSite()
      const browser = server.browser()
      browser.setCookie("old.sid", "forged")
      expect(await userNameAt(browser)).toBeNull()
      expect(browser.cookies().map(({ name }) => name)).toEqual([])
    })

    it("signs in all concurrent requests, and ends the legacy session after them", async () => {
      const { browser, legacy } = await createSite()
      const names = await Promise.all(Array.from({ length: 10 }, () => userNameAt(browser.clone())))
      expect(names).toEqual(Array(10).fill("Ada"))
      await browser.get("/me")
      await browser.get("/me")
      expect(legacy.rows.size).toBe(0)
    })

    it("ignores the legacy cookie beside an invalid session cookie", async () => {
      const { browser, legacy } = await createSite({ options: { end: () => {} } })
      browser.setCookie("authjs.session-token", "an invalid token")
      expect(await userNameAt(browser)).toBeNull()
      expect(await userNameAt(browser)).toBeNull()
      expect(legacy.seen.reads).toBe(0)
    })

    it("passes an error of read to the application, and changes nothing", async () => {
      const failure = new Error("the old store is down")
      const { browser, errors } = await createSite({ options: { read: () => Promise.reject(failure) } })
      const page = await browser.get("/me")
      expect([page.status, errors, page.headers.getSetCookie()]).toEqual([500, [failure], []])
    })

    it("passes an error of end to the application, and calls end again", async () => {
      let isDown = true
      const end = () => {
        if (isDown) throw new Error("the old store is down")
      }
      const { browser, errors } = await createSite({ options: { end } })
      await browser.get("/me")
      expect((await browser.get("/me")).status).toBe(500)
      expect([errors.length, browser.cookie("old.sid")]).toEqual([1, expect.any(String)])
      isDown = false
      expect(await userNameAt(browser)).toBe("Ada")
      expect(browser.cookie("old.sid")).toBeUndefined()
    })

    it("changes nothing for a HEAD request", async () => {
      const { browser, legacy } = await createSite()
      const page = await browser.request("/me", { method: "HEAD" })
      expect([page.headers.getSetCookie(), legacy.seen.reads]).toEqual([[], 0])
    })
  })
})

describe("migrateSession", () => {
  it("migrates no session from the date of `until` on", async () => {
    const time = { now: Date.now() }
    const { browser, legacy } = await migratedSite({ config: { clock: () => time.now } })
    time.now = legacy.options.until.getTime()
    expect(await userNameAt(browser)).toBeNull()
    expect([legacy.seen.reads, browser.cookie("old.sid")]).toEqual([0, undefined])
  })

  it("warns at start-up that `until` has passed", async () => {
    const { log } = await migratedSite({ options: { until: new Date(Date.now() - 1) } })
    expect(log.records.map(({ code }) => code)).toEqual(["migration-over"])
  })

  it("keeps an existing session, and clears the legacy cookie", async () => {
    const { browserOf, legacy, server } = await migratedSite()
    const browser = server.browser()
    await signIn(browser)
    browser.setCookie("old.sid", browserOf({ id: "8", name: "Eve" }).cookie("old.sid") ?? "")
    expect(await userNameAt(browser)).toBe("ada")
    expect(browser.cookie("old.sid")).toBeUndefined()
    expect(legacy.seen.reads).toBe(0)
  })

  it("creates a session with the normal lifetime, and calls the jwt callback with the trigger signIn", async () => {
    const calls: unknown[] = []
    const { browser } = await migratedSite({
      config: {
        callbacks: {
          jwt: ({ token, user, account, trigger }) => {
            if (account) calls.push([trigger, user?.id, account.provider, account.type])
            return token
          },
        },
      },
    })
    await browser.get("/me")
    expect(calls).toEqual([["signIn", "7", "credentials", "credentials"]])
    const left = (browser.cookies().find(({ name }) => name === "authjs.session-token")?.expiresAt ?? 0) - Date.now()
    expect(left / DAY).toBeCloseTo(30, 1)
  })

  it("signs in no user if the jwt callback returns null", async () => {
    const { browser } = await migratedSite({ config: { callbacks: { jwt: () => null } } })
    expect(await userNameAt(browser)).toBeNull()
    expect(await userNameAt(browser)).toBeNull()
    expect(browser.cookie("old.sid")).toBeUndefined()
  })

  it("finds the user by id, then by email address, and otherwise creates a user", async () => {
    const adapter = MemoryAdapter()
    const ada = await adapter.createUser({ name: "Ada", email: "ada@example.com", emailVerified: null } as never)
    const { browserOf, events } = await migratedSite({ config: { adapter } })
    for (const user of [{ id: ada.id }, { id: "77", email: "ada@example.com" }])
      expect(await userNameAt(browserOf(user))).toBe("Ada")
    expect(events).toEqual([])
    expect(await userNameAt(browserOf({ name: "Bob", email: "bob@example.com" }))).toBe("Bob")
    expect(events).toEqual(["createUser"])
  })

  it("links the account, so that the next sign-in with it finds the same user", async () => {
    const adapter = MemoryAdapter()
    const account = { provider: "google", providerAccountId: "g-1", type: "oidc" } as const
    const { browserOf, events } = await migratedSite({ config: { adapter } })
    expect(await userNameAt(browserOf(ADA, account))).toBe("Ada")
    expect(await adapter.getUserByAccount(account)).toMatchObject({ email: "ada@example.com" })
    expect(await userNameAt(browserOf({ name: "Ada", email: "new@example.com" }, account))).toBe("Ada")
    expect(events).toEqual(["createUser", "linkAccount"])
  })

  it("creates one session for concurrent requests", async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { server, legacy } = await migratedSite({
      options: { read: async () => released.then(() => ({ user: ADA })) },
    })
    const headers = { cookie: `old.sid=${legacy.signIn(ADA)}` }
    const requests = [1, 2].map(() => server.browser({ headers }).get("/me"))
    setTimeout(release, 100)
    const [first, second] = (await Promise.all(requests)).map((page) => page.headers.getSetCookie()[0])
    expect(first).toMatch(/^authjs\.session-token=/)
    expect(second).toBe(first)
  })

  describe("with a function that hangs", () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    })
    afterEach(() => {
      jest.useRealTimers()
    })

    /** Returns the status codes of these requests, for which the time passes once the function has been called. */
    async function waitFor(pages: readonly Promise<Page>[], isCalled: () => boolean): Promise<number[]> {
      let isOver = false
      const responses = Promise.all(pages).finally(() => {
        isOver = true
      })
      await until(isCalled)
      for (let seconds = 0; !isOver && seconds < 60; seconds++) await jest.advanceTimersByTimeAsync(1_000)
      return (await responses).map(({ status }) => status)
    }

    it("passes an error to the application after five seconds in read, and calls read again", async () => {
      const state = { hangs: true, calls: 0 }
      const read = () => {
        state.calls++
        return state.hangs ? new Promise<never>(() => {}) : { user: ADA }
      }
      const { browser, errors } = await migratedSite({ options: { read } })
      const pages = [0, 1].map(() => browser.clone().get("/public"))
      expect(await waitFor(pages, () => state.calls > 0)).toEqual([503, 503])
      for (const error of errors) expect(error).toMatchObject({ messageCode: "request-timed-out", status: 503 })
      state.hangs = false
      expect([await userNameAt(browser), state.calls]).toEqual(["Ada", 2])
    })

    it.each([[{}], [""], [Number.NaN], [Promise.resolve("7")]])(
      "passes an error to the application if read returns the invalid id %p",
      async (id) => {
        const { browser, errors } = await migratedSite({
          options: { read: () => ({ user: { ...ADA, id: id as string } }) },
        })
        expect((await browser.get("/public")).status).toBe(500)
        expect(String(errors[0])).toContain("the application returned no id")
      },
    )

    it("passes an error to the application after five seconds in end, and calls end again", async () => {
      const state = { hangs: true, calls: 0 }
      const end = () => {
        state.calls++
        return state.hangs ? new Promise<never>(() => {}) : undefined
      }
      const { browser } = await migratedSite({ options: { end } })
      await browser.get("/public")
      expect(await waitFor([browser.get("/public")], () => state.calls > 0)).toEqual([503])
      expect(browser.cookie("old.sid")).toBeDefined()
      state.hangs = false
      expect([await userNameAt(browser), browser.cookie("old.sid")]).toEqual(["Ada", undefined])
    })
  })

  it("clears every part of the legacy cookie with the given attributes", async () => {
    const { server, legacy } = await migratedSite({
      options: { cookie: ["old.sid", "old.sid.sig"], cookieOptions: { domain: "example.com", path: "/app" } },
    })
    const cookie = `old.sid=${legacy.signIn(ADA)}; old.sid.0=a; old.sid.sig=b; old.sid.other=c; authjs.session-token=x`
    const page = await server.browser({ headers: { cookie } }).get("/public")
    const cleared = page.headers.getSetCookie().filter((text) => text.includes("Max-Age=0"))
    expect(cleared.map((text) => text.split("=")[0])).toEqual(["old.sid", "old.sid.0", "old.sid.sig"])
    for (const text of cleared) expect(text).toMatch(/Domain=example\.com; Path=\/app; Expires=Thu, 01 Jan 1970/)
  })

  it("warns that it is mounted after the middleware", async () => {
    const { logger, records } = recordingLogger()
    const config = configOf({ logger })
    const legacy = legacyLibrary()
    const app = express().use(authMiddleware(config)).use(migrateSession(config, legacy.options))
    app.get("/me", async (req, res) => void res.json(await req.getSession()))
    const browser = (await serve(app)).browser()
    browser.setCookie("old.sid", legacy.signIn(ADA))
    expect(await userNameAt(browser)).toBe("Ada")
    expect(records.map(({ code }) => code)).toEqual(["migration-order"])
  })

  it.each([
    ["an empty cookie name", { cookie: "" }, /migrateSession\.cookie: is ""/],
    [
      "the name of latchkey's session cookie",
      { cookie: "authjs.session-token" },
      /migrateSession\.cookie: .*cookies\.sessionToken/,
    ],
    ["no `until`", { until: undefined }, /migrateSession\.until: is missing.*until: new Date\("/],
    ["an `until` that is not a Date", { until: "2030-01-01" }, /migrateSession\.until: is "2030-01-01"/],
    [
      "an `until` in more than a year",
      { until: new Date(Date.now() + 400 * DAY) },
      /migrateSession\.until: .*more than a year/,
    ],
    ["no read", { read: undefined }, /migrateSession\.read: is missing/],
  ])("throws at start-up with %s", (_, options, message) => {
    // The types forbid it, but JavaScript allows it.
    const wrong = { ...legacyLibrary().options, ...options } as MigrateSessionOptions
    expect(() => migrateSession(configOf(), wrong)).toThrow(message)
  })
})
