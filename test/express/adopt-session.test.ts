import { randomUUID } from "node:crypto"
import type { RequestListener } from "node:http"
import express, { type Express } from "express"
import express4 from "express4"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import {
  type AdoptSessionOptions,
  adoptSession,
  authMiddleware,
  type OldSession,
  requireAuth,
} from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import type { Page } from "../support/browser.js"
import { recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { until } from "../support/wait.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()
const DAY = 24 * 60 * 60 * 1000

/** An old library with a store: a random id in the cookie, and who that is on the server. */
function oldLibrary() {
  const rows = new Map<string, OldSession>()
  const seen = { reads: 0 }
  const idIn = (cookie = "") => /old\.sid=([^;]*)/.exec(cookie)?.[1] ?? ""
  return {
    ...{ rows, seen },
    signIn(user: OldSession["user"], account?: OldSession["account"]): string {
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
    } satisfies AdoptSessionOptions,
  }
}

const ADA = { id: "7", name: "Ada", email: "ada@example.com" }

interface Wanted {
  readonly create?: () => Express
  readonly config?: Partial<AuthConfig>
  readonly options?: Partial<AdoptSessionOptions>
}

/** An application that has changed over, and somebody whom the old one knows. */
async function changedOver({ create = express, config: over, options }: Wanted = {}) {
  const old = oldLibrary()
  const log = recordingLogger()
  const events: string[] = []
  const tell = (name: string) => () => void events.push(name)
  const config = configOf({
    logger: log.logger,
    events: { signIn: tell("signIn"), createUser: tell("createUser"), linkAccount: tell("linkAccount") },
    ...over,
  })
  const app = create()
  const errors: unknown[] = []
  app.use(adoptSession(config, { ...old.options, ...options }))
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
  const browserOf = (user: OldSession["user"] = ADA, account?: OldSession["account"]) => {
    const browser = server.browser()
    browser.setCookie("old.sid", old.signIn(user, account))
    return browser
  }
  return { ...{ old, config, server, errors, events, log, browserOf }, browser: browserOf() }
}

type Site = Awaited<ReturnType<typeof changedOver>>
type Person = Site["browser"]

const nameAt = async (browser: Person, path = "/me"): Promise<string | null> => {
  const session: unknown = await (await browser.get(path)).json()
  return Object(Object(session).user).name ?? null
}

const signOut = async (browser: Person) =>
  browser.post("/auth/signout", { csrfToken: await browser.csrf() }).then(({ status }) => expect(status).toBe(302))

const EXPRESS = { "Express 5": express, "Express 4": express4 as unknown as () => Express }
const STRATEGIES = {
  "sessions in cookies": () => ({}),
  "sessions in a store": () => ({ adapter: MemoryAdapter() }),
}

describe.each(Object.entries(EXPRESS))("adoptSession on %s", (_, create) => {
  describe.each(Object.entries(STRATEGIES))("with %s", (__, configure) => {
    const change = (wanted: Wanted = {}) =>
      changedOver({ create, ...wanted, config: { ...configure(), ...wanted.config } })

    it("signs in whoever comes with an old session, in that very answer", async () => {
      const { browser } = await change()
      const page = await browser.get("/guarded")
      expect(page.status).toBe(200)
      expect(browser.cookie("authjs.session-token")).toBeDefined()
      expect(page.headers.get("cache-control")).toContain("no-store")
      expect(await nameAt(browser)).toBe("Ada")
    })

    it("does so at its own addresses too, and where nobody asks for the session", async () => {
      const { browserOf } = await change()
      expect(await nameAt(browserOf(), "/auth/session")).toBe("Ada")
      const browser = browserOf()
      await browser.get("/public")
      expect(browser.cookie("authjs.session-token")).toBeDefined()
    })

    it("ends the old session and clears its cookie when the new one has arrived", async () => {
      const { browser, old } = await change()
      await browser.get("/me")
      // The answer might have been lost.
      expect([old.rows.size, browser.cookie("old.sid")]).toEqual([1, expect.any(String)])
      await browser.get("/public")
      expect([old.rows.size, browser.cookie("old.sid")]).toEqual([0, undefined])
      expect(await nameAt(browser)).toBe("Ada")
    })

    it("stays signed out after signing out, whatever the browser goes on sending", async () => {
      const { browser, old, log } = await change({ options: { end: () => {}, cookieOptions: { path: "/elsewhere" } } })
      await browser.get("/me")
      const copy = browser.cookie("old.sid") ?? ""
      await signOut(browser)
      expect(browser.cookie("old.sid")).toBe(copy)
      expect([await nameAt(browser), await nameAt(browser)]).toEqual([null, null])
      expect(old.seen.reads).toBe(1)
      const warnings = log.records.filter(({ code }) => code === "old-cookie-stays")
      expect(warnings).toHaveLength(1)
      expect(String(warnings[0]?.args[1])).toContain("cookieOptions")
    })

    it("signs nobody in for what another site makes the browser send", async () => {
      const { browser, old, server } = await change()
      const posted = await browser.request("/transfer", {
        method: "POST",
        from: "https://evil.test",
        headers: { cookie: `old.sid=${browser.cookie("old.sid")}` },
      })
      expect(await posted.json()).toBeNull()
      expect([old.seen.reads, posted.headers.getSetCookie()]).toEqual([0, []])
      const own = await browser.request("/transfer", { method: "POST", from: server.address })
      expect(await own.json()).toMatchObject({ user: { name: "Ada" } })
    })

    it("gives a copy of the old cookie nothing once its session has ended", async () => {
      const { browser, server } = await change()
      await browser.get("/me")
      const thief = server.browser()
      thief.setCookie("old.sid", browser.cookie("old.sid") ?? "")
      await signOut(browser)
      expect(await nameAt(thief)).toBeNull()
      expect(thief.cookie("old.sid")).toBeUndefined()
    })

    it("refuses an old session that is none, and clears its cookie", async () => {
      const { server } = await change()
      const browser = server.browser()
      browser.setCookie("old.sid", "forged")
      expect(await nameAt(browser)).toBeNull()
      expect(browser.cookies().map(({ name }) => name)).toEqual([])
    })

    it("answers everybody signed in who comes at once, and ends the old session after them", async () => {
      const { browser, old } = await change()
      const names = await Promise.all(Array.from({ length: 10 }, () => nameAt(browser.clone())))
      expect(names).toEqual(Array(10).fill("Ada"))
      await browser.get("/me")
      await browser.get("/me")
      expect(old.rows.size).toBe(0)
    })

    it("gives nothing to whoever was signed out here from outside", async () => {
      const { browser, old } = await change({ options: { end: () => {} } })
      browser.setCookie("authjs.session-token", "no good any more")
      expect(await nameAt(browser)).toBeNull()
      expect(await nameAt(browser)).toBeNull()
      expect(old.seen.reads).toBe(0)
    })

    it("gives what read throws to the application, and changes nothing", async () => {
      const trouble = new Error("the old store is down")
      const { browser, errors } = await change({ options: { read: () => Promise.reject(trouble) } })
      const page = await browser.get("/me")
      expect([page.status, errors, page.headers.getSetCookie()]).toEqual([500, [trouble], []])
    })

    it("gives what end throws to the application, and tries again", async () => {
      let isDown = true
      const end = () => {
        if (isDown) throw new Error("the old store is down")
      }
      const { browser, errors } = await change({ options: { end } })
      await browser.get("/me")
      expect((await browser.get("/me")).status).toBe(500)
      expect([errors.length, browser.cookie("old.sid")]).toEqual([1, expect.any(String)])
      isDown = false
      expect(await nameAt(browser)).toBe("Ada")
      expect(browser.cookie("old.sid")).toBeUndefined()
    })

    it("changes nothing at a HEAD", async () => {
      const { browser, old } = await change()
      const page = await browser.request("/me", { method: "HEAD" })
      expect([page.headers.getSetCookie(), old.seen.reads]).toEqual([[], 0])
    })
  })
})

describe("adoptSession", () => {
  it("takes nothing over from the day on that `until` says", async () => {
    const time = { now: Date.now() }
    const { browser, old } = await changedOver({ config: { clock: () => time.now } })
    time.now = old.options.until.getTime()
    expect(await nameAt(browser)).toBeNull()
    expect([old.seen.reads, browser.cookie("old.sid")]).toEqual([0, undefined])
  })

  it("says at the start that it is over", async () => {
    const { log } = await changedOver({ options: { until: new Date(Date.now() - 1) } })
    expect(log.records.map(({ code }) => code)).toEqual(["adoption-over"])
  })

  it("leaves a session of ours alone, and only takes the old one away", async () => {
    const { browserOf, old, server } = await changedOver()
    const browser = server.browser()
    await signIn(browser)
    browser.setCookie("old.sid", browserOf({ id: "8", name: "Eve" }).cookie("old.sid") ?? "")
    expect(await nameAt(browser)).toBe("ada")
    expect(browser.cookie("old.sid")).toBeUndefined()
    expect(old.seen.reads).toBe(0)
  })

  it("begins a session that lasts as any other, and says who it is to the jwt callback", async () => {
    const asked: unknown[] = []
    const { browser } = await changedOver({
      config: {
        callbacks: {
          jwt: ({ token, user, account, trigger }) => {
            if (account) asked.push([trigger, user?.id, account.provider, account.type])
            return token
          },
        },
      },
    })
    await browser.get("/me")
    expect(asked).toEqual([["signIn", "7", "credentials", "credentials"]])
    const left = (browser.cookies().find(({ name }) => name === "authjs.session-token")?.expiresAt ?? 0) - Date.now()
    expect(left / DAY).toBeCloseTo(30, 1)
  })

  it("signs in nobody whom the jwt callback refuses", async () => {
    const { browser } = await changedOver({ config: { callbacks: { jwt: () => null } } })
    expect(await nameAt(browser)).toBeNull()
    expect(await nameAt(browser)).toBeNull()
    expect(browser.cookie("old.sid")).toBeUndefined()
  })

  it("finds the store's user by id, else by address, else creates one", async () => {
    const adapter = MemoryAdapter()
    const ada = await adapter.createUser({ name: "Ada", email: "ada@example.com", emailVerified: null } as never)
    const { browserOf, events } = await changedOver({ config: { adapter } })
    for (const user of [{ id: ada.id }, { id: "77", email: "ada@example.com" }])
      expect(await nameAt(browserOf(user))).toBe("Ada")
    expect(events).toEqual([])
    expect(await nameAt(browserOf({ name: "Bob", email: "bob@example.com" }))).toBe("Bob")
    expect(events).toEqual(["createUser"])
  })

  it("links the account, so that the next sign-in with it finds the same user", async () => {
    const adapter = MemoryAdapter()
    const account = { provider: "google", providerAccountId: "g-1", type: "oidc" } as const
    const { browserOf, events } = await changedOver({ config: { adapter } })
    expect(await nameAt(browserOf(ADA, account))).toBe("Ada")
    expect(await adapter.getUserByAccount(account)).toMatchObject({ email: "ada@example.com" })
    expect(await nameAt(browserOf({ name: "Ada", email: "new@example.com" }, account))).toBe("Ada")
    expect(events).toEqual(["createUser", "linkAccount"])
  })

  it("opens one session for requests that come at once", async () => {
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const { server, old } = await changedOver({
      options: { read: async () => held.then(() => ({ user: ADA })) },
    })
    const headers = { cookie: `old.sid=${old.signIn(ADA)}` }
    const asking = [1, 2].map(() => server.browser({ headers }).get("/me"))
    setTimeout(letGo, 100)
    const [first, second] = (await Promise.all(asking)).map((page) => page.headers.getSetCookie()[0])
    expect(first).toMatch(/^authjs\.session-token=/)
    expect(second).toBe(first)
  })

  describe("whose function hangs", () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    })
    afterEach(() => {
      jest.useRealTimers()
    })

    /** What requests with one old cookie are answered, for which the time passes from when the function was called. */
    async function waitFor(pages: readonly Promise<Page>[], isCalled: () => boolean): Promise<number[]> {
      let isOver = false
      const asking = Promise.all(pages).finally(() => {
        isOver = true
      })
      await until(isCalled)
      for (let seconds = 0; !isOver && seconds < 60; seconds++) await jest.advanceTimersByTimeAsync(1_000)
      return (await asking).map(({ status }) => status)
    }

    it("in read, gives the application an error after five seconds, and asks again", async () => {
      const state = { hangs: true, calls: 0 }
      const read = () => {
        state.calls++
        return state.hangs ? new Promise<never>(() => {}) : { user: ADA }
      }
      const { browser, errors } = await changedOver({ options: { read } })
      const pages = [0, 1].map(() => browser.clone().get("/public"))
      expect(await waitFor(pages, () => state.calls > 0)).toEqual([503, 503])
      for (const error of errors) expect(error).toMatchObject({ messageCode: "answer-too-late", status: 503 })
      state.hangs = false
      expect([await nameAt(browser), state.calls]).toEqual(["Ada", 2])
    })

    it.each([[{}], [""], [Number.NaN], [Promise.resolve("7")]])(
      "in read, gives the application an error where the id would be that of several users: %p",
      async (id) => {
        const { browser, errors } = await changedOver({
          options: { read: () => ({ user: { ...ADA, id: id as string } }) },
        })
        expect((await browser.get("/public")).status).toBe(500)
        expect(String(errors[0])).toContain("the application returned no id")
      },
    )

    it("in end, gives the application an error after five seconds, and tries again", async () => {
      const state = { hangs: true, calls: 0 }
      const end = () => {
        state.calls++
        return state.hangs ? new Promise<never>(() => {}) : undefined
      }
      const { browser } = await changedOver({ options: { end } })
      await browser.get("/public")
      expect(await waitFor([browser.get("/public")], () => state.calls > 0)).toEqual([503])
      expect(browser.cookie("old.sid")).toBeDefined()
      state.hangs = false
      expect([await nameAt(browser), browser.cookie("old.sid")]).toEqual(["Ada", undefined])
    })
  })

  it("clears every part of the old cookie with the attributes that it is told", async () => {
    const { server, old } = await changedOver({
      options: { cookie: ["old.sid", "old.sid.sig"], cookieOptions: { domain: "example.com", path: "/app" } },
    })
    const cookie = `old.sid=${old.signIn(ADA)}; old.sid.0=a; old.sid.sig=b; old.sid.other=c; authjs.session-token=x`
    const page = await server.browser({ headers: { cookie } }).get("/public")
    const cleared = page.headers.getSetCookie().filter((text) => text.includes("Max-Age=0"))
    expect(cleared.map((text) => text.split("=")[0])).toEqual(["old.sid", "old.sid.0", "old.sid.sig"])
    for (const text of cleared) expect(text).toMatch(/Domain=example\.com; Path=\/app; Expires=Thu, 01 Jan 1970/)
  })

  it("says that it stands behind the middleware", async () => {
    const { logger, records } = recordingLogger()
    const config = configOf({ logger })
    const old = oldLibrary()
    const app = express().use(authMiddleware(config)).use(adoptSession(config, old.options))
    app.get("/me", async (req, res) => void res.json(await req.getSession()))
    const browser = (await serve(app)).browser()
    browser.setCookie("old.sid", old.signIn(ADA))
    expect(await nameAt(browser)).toBe("Ada")
    expect(records.map(({ code }) => code)).toEqual(["adoption-order"])
  })

  it.each([
    ["no name", { cookie: "" }, /adoptSession\.cookie: is ""/],
    ["the name of its own cookie", { cookie: "authjs.session-token" }, /adoptSession\.cookie: .*cookies\.sessionToken/],
    ["no end", { until: undefined }, /adoptSession\.until: is missing.*until: new Date\("/],
    ["an end that is no date", { until: "2030-01-01" }, /adoptSession\.until: is "2030-01-01"/],
    ["an end too far away", { until: new Date(Date.now() + 400 * DAY) }, /adoptSession\.until: .*more than a year/],
    ["no read", { read: undefined }, /adoptSession\.read: is missing/],
  ])("refuses to start with %s", (_, options, message) => {
    // What JavaScript lets through.
    const wrong = { ...oldLibrary().options, ...options } as AdoptSessionOptions
    expect(() => adoptSession(configOf(), wrong)).toThrow(message)
  })
})
