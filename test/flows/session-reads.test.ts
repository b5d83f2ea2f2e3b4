import { decode, encode, type JWTEncodeParams } from "../../lib/jwt.js"
import type { AuthConfig, JWT } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const claimsIn = async (browser: Browser): Promise<JWT> =>
  (await decode({ token: browser.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })) ?? {}
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("a session read by the application", (start, stage) => {
  /** A site whose sessions are due after two hours, and one that is; `ask` comes with its cookie, as at the first time. */
  async function dueSession(config: Partial<AuthConfig> = {}) {
    const time = { now: Date.now() }
    const sealed: string[] = []
    const jwt = {
      encode: async (params: JWTEncodeParams) => {
        const value = await encode(params)
        sealed.push(value)
        return value
      },
      decode,
    }
    const options = { clock: () => time.now, jwt, session: { updateAge: 3_600 }, ...config }
    const { browser: visit } = await start(configOf(options))
    const browser = visit()
    await signIn(browser)
    const cookie = `${NAME}=${browser.cookie(NAME)}`
    const ask = async () => (await visit().get("/me", { headers: { cookie } })).headers.getSetCookie()
    const askOften = async () => (await Promise.all(Array.from({ length: 20 }, ask))).flat()
    time.now += 2 * 3_600_000
    sealed.length = 0
    return { time, sealed, ask, askOften }
  }
  // `Auth()` alone has no routes: /me is /session there, which renews always.
  const renewsAlways = stage === "Auth()"

  it("is renewed once for all requests that come with the old cookie before the new one has arrived", async () => {
    const { time, sealed, ask, askOften } = await dueSession()
    const answers = [...(await askOften()), ...(await ask()), ...(await askOften())]
    expect(answers).toHaveLength(41)
    expect([sealed.length, new Set(answers).size]).toEqual(renewsAlways ? [41, 41] : [1, 1])
    // Whoever comes later has lost it, or the application has withdrawn it: the old one is renewed anew.
    time.now += 60_000
    await askOften()
    expect(sealed).toHaveLength(renewsAlways ? 61 : 2)
  })

  it("is never renewed to one that has ended", async () => {
    const { time, ask } = await dueSession({ session: { updateAge: 20, maxAge: 30 } })
    for (let i = 0; i < 10; i++) {
      const [renewed = ""] = await ask()
      expect(Date.parse(/Expires=([^;]+)/.exec(renewed)?.[1] ?? "")).toBeGreaterThan(time.now)
      time.now += 7_000
    }
  })

  it("is renewed when it is older than updateAge, and not before", async () => {
    const time = { now: Date.now() }
    const { browser: visit } = await start(configOf({ clock: () => time.now }))
    const browser = visit()
    await signIn(browser)
    const first = browser.cookie(NAME)
    time.now += DAY - 60_000
    const young = await browser.get("/me")
    // `Auth()` alone has no routes: /me is /session there, which renews always.
    if (stage !== "Auth()") {
      expect([young.headers.getSetCookie(), browser.cookie(NAME)]).toEqual([[], first])
      expect(Date.parse((await young.json()).expires)).toBeLessThan(time.now + 29.5 * DAY)
    }
    time.now += 120_000
    const old = await browser.get("/me")
    expect(browser.cookie(NAME)).not.toBe(first)
    expect(Date.parse((await old.json()).expires)).toBe(time.now + 30 * DAY)
    expect((await claimsIn(browser)).iat).toBe(Math.floor(time.now / 1000))
  })

  it.each<[string, Partial<AuthConfig>]>([
    ["an hour", { session: { maxAge: 3_600 } }],
    ["an hour, and the session longer", { jwt: { maxAge: 3_600 } }],
  ])("goes on for as long as it is used, where its cookie is good for %s", async (_, config) => {
    const time = { now: Date.now() }
    const { browser: visit } = await start(configOf({ clock: () => time.now, ...config }))
    const browser = visit()
    await signIn(browser)
    for (let i = 0; i < 12; i++) {
      time.now += 600_000
      expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
    }
  })
})

describeServers("signing out", (start) => {
  it("ends the session, tells the event, and leads where the person wanted to go", async () => {
    const told: unknown[] = []
    const { browser: visit, origin } = await start(
      configOf({ events: { signOut: (message) => void told.push(message) } }),
    )
    const browser = visit()
    await signIn(browser)
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf(), callbackUrl: "/bye" })
    expect([page.status, page.location]).toEqual([302, `${origin}/bye`])
    expect(await read(browser, "/me")).toBeNull()
    expect(told).toEqual([{ token: expect.objectContaining({ name: "ada", sub: "7" }) }])
    const kept = browser.cookies().map(({ name }) => name)
    expect(kept).toEqual(expect.arrayContaining(["authjs.csrf-token", "authjs.callback-url"]))
    expect(kept).not.toContain(NAME)
  })

  it("works with the form of the page", async () => {
    const { browser: visit, origin } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    const html = await (await browser.get("/auth/signout?callbackUrl=%2Fbye")).text()
    const page = await browser.submit(browser.form(html))
    expect([page.location, await read(browser, "/me")]).toEqual([`${origin}/bye`, null])
  })

  it("without a session tells nothing", async () => {
    const told: unknown[] = []
    const { browser: visit, origin } = await start(
      configOf({ events: { signOut: (message) => void told.push(message) } }),
    )
    const browser = visit()
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([page.status, page.location, told]).toEqual([302, `${origin}/`, []])
  })

  it("clears a cookie that can't be opened, and tells nothing", async () => {
    const told: unknown[] = []
    const { browser: visit } = await start(configOf({ events: { signOut: (message) => void told.push(message) } }))
    const browser = visit()
    browser.setCookie(NAME, "garbage")
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([page.status, browser.cookie(NAME), told]).toEqual([302, undefined, []])
  })

  it("is not what GET does", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    expect((await browser.get("/auth/signout")).status).toBe(200)
    expect(await read(browser, "/me")).not.toBeNull()
  })

  it("answers JSON for clients that ask for it", async () => {
    const { browser: visit, origin } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    const headers = { "x-auth-return-redirect": "1" }
    const page = await browser.post(
      "/auth/signout",
      { csrfToken: await browser.csrf(), callbackUrl: "/x" },
      { headers },
    )
    expect([page.status, await page.json(), browser.cookie(NAME)]).toEqual([200, { url: `${origin}/x` }, undefined])
  })
})

describeServers("SES-32: an event handler that fails", (start) => {
  const failing: [string, AuthConfig["events"]][] = [
    [
      "throws",
      {
        session: () => {
          throw new Error("the bus is down")
        },
      },
    ],
    ["rejects", { session: () => Promise.reject(new Error("the bus is down")) }],
    ["rejects with nothing", { session: () => Promise.reject(undefined) }],
  ]

  it.each(failing)("and %s changes nothing, and is logged", async (_name, events) => {
    const log = recordingLogger()
    const { browser: visit } = await start(configOf({ logger: log.logger, events: events ?? {} }))
    const browser = visit()
    await signIn(browser)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "EventError" }])
  })

  it("and never ends is waited for only so long", async () => {
    const log = recordingLogger()
    let called = () => {}
    const told = new Promise<void>((resolve) => {
      called = resolve
    })
    const session = () => {
      called()
      return new Promise<void>(() => {})
    }
    const { browser: visit } = await start(configOf({ logger: log.logger, events: { session } }))
    const browser = visit()
    await signIn(browser)
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    try {
      const body = read(browser)
      await told
      await jest.advanceTimersByTimeAsync(10_000)
      expect(await body).toMatchObject({ user: { name: "ada" } })
    } finally {
      jest.useRealTimers()
    }
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "EventError" }])
  })
})
