/**
 * SES-33 and SES-03: copies of a session cookie are refused after the session has ended, with a store.
 *
 * @module
 */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { endSession, endSessions, listSessions } from "../../../lib/index.js"
import { encode } from "../../../lib/jwt.js"
import Credentials from "../../../lib/providers/credentials.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig, Store } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers, recordingLogger, type Start, type TestApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const NAME = "authjs.session-token"
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0"
const DAY = 24 * 60 * 60 * 1000

const status = async (browser: Browser, path = "/me"): Promise<number> => (await browser.get(path)).status
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const isSignedIn = async (browser: Browser): Promise<boolean> => (await read(browser, "/me")) !== null
const signOut = async (browser: Browser) => browser.post("/auth/signout", { csrfToken: await browser.csrf() })

/** Signs in the user whose id is given as the user name. */
const byUserId = Credentials({
  credentials: { username: {}, password: {} },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

/** Starts a site with users in memory and with a store that can be frozen: its methods then never settle. */
async function startSite(start: Start, over: Partial<AuthConfig> = {}, setup: (app: TestApp) => unknown = () => {}) {
  const time = { now: Date.now() }
  const isFrozen = { value: false }
  const inner = MemoryStore({ now: () => time.now })
  const freezable = new Proxy(inner, {
    get: (target, name: keyof Store) =>
      isFrozen.value && typeof target[name] === "function" ? () => new Promise(() => {}) : target[name],
  })
  const { logger, records } = recordingLogger()
  const config = configOf({ store: freezable, providers: [byUserId], logger, clock: () => time.now, ...over })
  const app = await start(config, { setup: (server) => void setup(server) })
  const signInUser = async (username = "ada") => {
    const browser = app.browser({ now: () => time.now })
    await signIn(browser, "/auth", { username })
    return browser
  }
  return { app, config, records, signInUser, time, store: inner, freeze: (value: boolean) => (isFrozen.value = value) }
}

const STRATEGIES = {
  "an encrypted cookie": () => ({}),
  "a database session": () => {
    const adapter = MemoryAdapter()
    const users = new Map<string, Promise<{ id: string }>>()
    const find = (name: string) => {
      const user =
        users.get(name) ??
        Promise.resolve(adapter.createUser({ id: "", name, email: `${name}@x.test`, emailVerified: null }))
      users.set(name, user)
      return user
    }
    const provider = Credentials({ credentials: { username: {} }, authorize: ({ username }) => find(String(username)) })
    return { adapter, providers: [provider], session: { strategy: "database" as const } }
  },
}

describe.each(Object.entries(STRATEGIES))("a copy of the cookie of %s", (_, strategy) => {
  describeServers("with a store", (start) => {
    const findOwner = async (config: AuthConfig, name: string): Promise<string> =>
      (await config.adapter?.getUserByEmail?.(`${name}@x.test`))?.id ?? name

    it("SES-03: is refused at once after the sign-out, also if it was renewed", async () => {
      const { signInUser, time } = await startSite(start, strategy())
      const [browser, elsewhere] = [await signInUser(), await signInUser()]
      const thief = browser.clone()
      time.now += 2 * DAY
      expect([await isSignedIn(thief), await isSignedIn(elsewhere)]).toEqual([true, true])
      const copies = [browser.cookie(NAME) ?? "", thief.cookie(NAME) ?? ""]
      await signOut(browser)
      for (const copy of copies)
        for (const path of ["/auth/session", "/me"]) {
          thief.setCookie(NAME, copy)
          expect([await read(thief, path), thief.cookie(NAME)]).toEqual([null, undefined])
        }
      expect(await isSignedIn(elsewhere)).toBe(true)
    })

    it.each([
      ["the same user", "ada"],
      ["another user", "bob"],
    ])("SES-03: is refused after the sign-out of a browser that also has a session of %s", async (_, name) => {
      const { signInUser } = await startSite(start, strategy())
      const [browser, other, elsewhere] = [await signInUser(), await signInUser(name), await signInUser()]
      const copies = [browser.clone(), other.clone()]
      browser.setCookie(NAME, other.cookie(NAME) ?? "", { path: "/auth" })
      await signOut(browser)
      for (const copy of copies) await until(async () => !(await isSignedIn(copy)), 1_500)
      expect(await isSignedIn(elsewhere)).toBe(true)
    })

    it("SES-33: is refused after a new sign-in of a browser that has two sessions", async () => {
      const { signInUser } = await startSite(start, strategy())
      const [browser, other] = [await signInUser(), await signInUser()]
      const copies = [browser.clone(), other.clone()]
      browser.setCookie(NAME, other.cookie(NAME) ?? "", { path: "/auth" })
      await signIn(browser, "/auth", { username: "ada" })
      for (const copy of copies) await until(async () => !(await isSignedIn(copy)), 1_500)
    })

    it("SES-33: is refused after one session, or all others, or all sessions of the user have ended", async () => {
      const { config, signInUser } = await startSite(start, strategy())
      const browsers = [await signInUser(), await signInUser(), await signInUser(), await signInUser()]
      const other = await signInUser("bob")
      const owner = await findOwner(config, "ada")
      const sessions = await listSessions(config, owner)
      expect(sessions).toHaveLength(4)
      const states = () => Promise.all(browsers.map((browser) => isSignedIn(browser.clone())))
      expect(await states()).toEqual([true, true, true, true])
      const [first, last] = [sessions[0]?.id ?? "", sessions[3]?.id ?? ""]
      expect([await endSession(config, first), await endSession(config, first)]).toEqual([true, false])
      // `Auth()` has a runtime of its own, which learns of the end within a second, like another process.
      const leaves = (count: number) => until(async () => (await states()).filter(Boolean).length === count, 1_500)
      await leaves(3)
      await endSessions(config, owner, { except: last })
      await leaves(1)
      expect((await listSessions(config, owner)).map(({ id }) => id)).toEqual([last])
      await endSessions(config, owner)
      await leaves(0)
      expect(await isSignedIn(other)).toBe(true)
      expect(await isSignedIn(await signInUser())).toBe(true)
    })

    it("SES-33: is refused after a new sign-in of the browser", async () => {
      const { signInUser } = await startSite(start, strategy())
      const browser = await signInUser()
      const thief = browser.clone()
      await signIn(browser, "/auth", { username: "ada" })
      expect([await isSignedIn(thief), await isSignedIn(browser)]).toEqual([false, true])
    })

    it("SES-33: is not issued by a sign-in during which all sessions of the user were ended", async () => {
      const site = { end: async () => {} }
      const over = strategy()
      const { config, app, records, time } = await startSite(start, {
        ...over,
        callbacks: { signIn: () => site.end().then(() => true) },
      })
      site.end = async () => {
        time.now += 1
        await endSessions(config, await findOwner(config, "ada"))
      }
      const browser = app.browser({ now: () => time.now })
      await signIn(browser, "/auth", { username: "ada" })
      expect([await isSignedIn(browser), browser.cookie(NAME)]).toEqual([false, undefined])
      expect(records.map(({ code }) => code)).toContain("AccessDenied")
      expect(await listSessions(config, await findOwner(config, "ada"))).toEqual([])
    })

    it("SES-33: is answered with 503 while the store does not respond, and works again afterwards", async () => {
      const { signInUser, freeze, store } = await startSite(start, strategy())
      const browser = await signInUser()
      expect(await isSignedIn(browser)).toBe(true)
      freeze(true)
      await until(async () => (await status(browser)) === 503, 15_000)
      expect(browser.cookie(NAME)).toBeDefined()
      freeze(false)
      await until(() => isSignedIn(browser), 15_000)
      expect(await store.list("ended", "feed")).toEqual([])
    }, 60_000)

    it("SES-33: is refused if isActive returns false, which ends all sessions of the user", async () => {
      const banned = new Set<string | null | undefined>()
      const checkedNames: unknown[] = []
      const isActive: AuthConfig["isActive"] = ({ name }) => {
        checkedNames.push(name)
        return !banned.has(name)
      }
      const { config, signInUser, time } = await startSite(start, { ...strategy(), isActive })
      const [browser, second, other] = [await signInUser(), await signInUser(), await signInUser("bob")]
      for (let i = 0; i < 3; i++) expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, true])
      // Once at each sign-in, and once when the session is first used.
      expect(checkedNames.filter((name) => name === "ada")).toHaveLength(3)
      banned.add("ada")
      // This process called isActive for the session less than a minute ago, so another process calls it first.
      const elsewhere = (await start({ ...config })).browser({ now: () => time.now })
      elsewhere.setCookie(NAME, second.cookie(NAME) ?? "")
      expect(await isSignedIn(elsewhere)).toBe(false)
      expect(await listSessions(config, await findOwner(config, "ada"))).toEqual([])
      for (const copy of [browser, second]) await until(async () => !(await isSignedIn(copy)), 1_500)
      expect([await isSignedIn(await signInUser()), await isSignedIn(other)]).toEqual([false, true])
    })
  })
})

describeServer("the record of a session", "Express 5", (start) => {
  it("has the device, the address, the times and the sign-in method, and is updated every five minutes", async () => {
    const { app, config, time } = await startSite(start, { session: { recordAddress: "truncated" } })
    const browser = app.browser({ now: () => time.now, headers: { "user-agent": FIREFOX } })
    await signIn(browser, "/auth", { username: "ada" })
    const opened = time.now
    expect(await listSessions(config, "ada")).toEqual([
      {
        ...{
          id: expect.stringMatching(/^[\w-]{22}$/),
          browser: "Firefox",
          platform: "Windows",
          address: "127.0.0.0/24",
        },
        ...{ createdAt: new Date(opened), lastSeenAt: new Date(opened), expires: new Date(opened + 30 * DAY) },
        ...{ provider: "credentials", method: "credentials", amr: ["pwd"] },
      },
    ])
    time.now += 4 * 60_000
    await read(browser, "/me")
    expect((await listSessions(config, "ada"))[0]?.lastSeenAt).toEqual(new Date(opened))
    time.now += 60_000
    await read(browser, "/me")
    await until(async () => (await listSessions(config, "ada"))[0]?.lastSeenAt.getTime() === time.now)
  })

  it.each([
    ["the address, with recordAddress: full", "full", "203.0.113.7"],
    ["the network, with recordAddress: truncated", "truncated", "203.0.113.0/24"],
    ["no address by default", false, undefined],
  ] as const)("has %s", async (_, recordAddress, address) => {
    const { app, config } = await startSite(start, { session: { recordAddress } }, (server) =>
      server.set?.("trust proxy", 1),
    )
    const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "http" }
    await signIn(app.browser({ headers }), "/auth", { username: "ada" })
    const other = app.browser({ headers })
    // A session that was created without a store is recorded when it is first used.
    const [secret, session_authentication] = [
      String(configOf().secret),
      `~${"s".repeat(22)} ada credentials credentials`,
    ]
    other.setCookie(NAME, await encode({ token: { sub: "ada", session_authentication }, secret, salt: NAME }))
    expect(await isSignedIn(other)).toBe(true)
    expect((await listSessions(config, "ada")).map((session) => session.address)).toEqual([address, address])
  })

  it("lasts as long as a session that is used once a month", async () => {
    const { signInUser, time } = await startSite(start)
    const browser = await signInUser()
    for (let month = 0; month < 6; month++) {
      time.now += 29 * DAY
      expect(await isSignedIn(browser)).toBe(true)
    }
  })

  it("ends the session when the record is lost, so that an eviction never makes an ended session valid", async () => {
    const { signInUser, store } = await startSite(start)
    const browser = await signInUser()
    const { id } = (await listSessions(configOf({ store, providers: [byUserId] }), "ada"))[0] ?? { id: "" }
    await store.delete("session", id)
    expect(await isSignedIn(browser)).toBe(false)
  })
})

describeServer("a session that was created without a store", "Express 5", (start) => {
  const authjsCookie = async (claims: object = {}, maxAge = (30 * DAY) / 1000) =>
    encode({ token: { sub: "7", name: "ada", ...claims }, secret: String(configOf().secret), salt: NAME, maxAge })

  async function openWith(over: Partial<AuthConfig> = {}) {
    const site = await startSite(start, { adapter: MemoryAdapter(), session: { strategy: "jwt" }, ...over })
    const browser = site.app.browser({ now: () => site.time.now })
    browser.setCookie(NAME, await authjsCookie())
    return { ...site, browser }
  }

  it("SES-33: is recorded at its first use, and its copies are refused after the sign-out", async () => {
    const { browser, config, time } = await openWith()
    const thief = browser.clone()
    expect(await isSignedIn(browser)).toBe(true)
    expect(await listSessions(config, "7")).toMatchObject([{ id: expect.stringMatching(/^~/), provider: undefined }])
    time.now += 2 * DAY
    expect([await isSignedIn(browser), browser.cookie(NAME) === thief.cookie(NAME)]).toEqual([true, false])
    expect(await listSessions(config, "7")).toHaveLength(1)
    const renewed = browser.clone()
    await signOut(browser)
    expect([await isSignedIn(thief), await isSignedIn(renewed)]).toEqual([false, false])
  })

  it("SES-33: stays ended even if Auth.js issued its cookie for longer than session.maxAge", async () => {
    const { app, time } = await openWith()
    const [unused, used] = [app.browser({ now: () => time.now }), app.browser({ now: () => time.now })]
    unused.setCookie(NAME, await authjsCookie({ jti: "unused" }, (90 * DAY) / 1000))
    used.setCookie(NAME, await authjsCookie({ jti: "used" }, (90 * DAY) / 1000))
    const thieves = [unused.clone(), used.clone()]
    expect(await isSignedIn(used)).toBe(true)
    for (const browser of [unused, used]) await signOut(browser)
    time.now += 89 * DAY
    expect(await Promise.all(thieves.map((thief) => isSignedIn(thief)))).toEqual([false, false])
  })

  it("SES-33: is refused at its first use if all sessions of its user were ended before", async () => {
    const { browser, config, time } = await openWith()
    time.now += 5_000
    await endSessions(config, "7")
    expect(await isSignedIn(browser)).toBe(false)
  })

  it("is refused after unregisteredUntil, unless it was used before", async () => {
    const until = new Date(Date.now() + DAY)
    const { app, browser, time } = await openWith({ session: { strategy: "jwt", unregisteredUntil: until } })
    const late = app.browser({ now: () => time.now })
    late.setCookie(NAME, await authjsCookie({ jti: "other" }))
    expect(await isSignedIn(browser)).toBe(true)
    time.now += 2 * DAY
    expect([await isSignedIn(browser), await isSignedIn(late)]).toEqual([true, false])
  })

  it.each([
    ["a number as the user's id", { sub: 7 }],
    ["an authentication whose id no store accepts", { session_authentication: "\u{fc}%20 7 github oauth pwd" }],
  ])("with %s is recorded once, and can be ended", async (_, claims) => {
    const { app, config, time } = await openWith()
    const browser = app.browser({ now: () => time.now })
    browser.setCookie(NAME, await authjsCookie(claims))
    expect(await isSignedIn(browser)).toBe(true)
    time.now += 2 * DAY
    expect(await isSignedIn(browser)).toBe(true)
    expect(await listSessions(config, "7")).toHaveLength(1)
    await endSessions(config, "7")
    expect(await isSignedIn(browser)).toBe(false)
  })

  it("stays readable for Auth.js, which ignores the record", async () => {
    const { signInUser } = await startSite(start)
    const browser = await signInUser()
    const { decode } = await import("@auth/core/jwt")
    const claims = await decode({ token: browser.cookie(NAME) ?? "", secret: String(configOf().secret), salt: NAME })
    expect(claims).toMatchObject({ sub: "ada", name: "ada" })
  })
})

describeServer("session.revocable: false", "Express 5", (start) => {
  it("keeps no records, and listSessions throws an error that names the option", async () => {
    const { config, signInUser, store } = await startSite(start, { session: { revocable: false } })
    const browser = await signInUser()
    expect([await isSignedIn(browser), await store.list("ended", "feed")]).toEqual([true, []])
    await expect(listSessions(config, "ada")).rejects.toThrow(
      /listSessions needs a store.* and remove session\.revocable/,
    )
  })
})
