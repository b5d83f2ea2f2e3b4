import { decode, encode, type JWTEncodeParams } from "../../lib/jwt.js"
import type { AuthConfig, JWT } from "../../lib/types.js"
import { configOf, people, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const claimsIn = async (browser: Browser): Promise<JWT> =>
  (await decode({ token: browser.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })) ?? {}
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("the session of an encrypted cookie", (start, stage) => {
  it("is null for a stranger, and kept by no cache", async () => {
    const page = await (await start(configOf())).browser().get("/auth/session")
    expect([page.status, await page.json(), page.headers.getSetCookie()]).toEqual([200, null, []])
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "cache-control": "private, no-cache, no-store",
      expires: "0",
      pragma: "no-cache",
      "content-type": "application/json",
    })
  })

  it("a flood of cookies that do not open brings ten records a minute, and signs nobody else out", async () => {
    const { logger, records } = recordingLogger()
    const errors = () => records.filter(({ level }) => level === "error")
    let now = Date.parse("2030-01-01T00:00:00Z")
    const { browser: visit } = await start(configOf({ logger, clock: () => now }))
    const ada = visit()
    await signIn(ada)
    const token = ada.cookie(NAME) ?? ""
    const knock = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          visit().get("/auth/session", { headers: { cookie: `${NAME}=${token.slice(0, -6)}${100_000 + i}` } }),
        ),
      )
    await knock(40)
    expect(errors()).toHaveLength(10)
    expect(await read(ada)).toMatchObject({ user: { name: "ada" } })
    now += 60_000
    await knock(1)
    expect(errors().at(-1)?.error?.message).toContain("as were 30 more")
  })

  it("shows name, address, picture and end, and none of the rest", async () => {
    const own = people()
    const user = { id: "7", name: "ada", email: "a@x.test", image: "/a.png", phone: "1" }
    const { browser: visit } = await start(
      configOf({ providers: [{ ...own, options: { ...own.options, authorize: () => user } }] }),
    )
    const browser = visit()
    await signIn(browser)
    expect(await read(browser)).toEqual({
      user: { name: "ada", email: "a@x.test", image: "/a.png" },
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    expect(await claimsIn(browser)).toEqual({
      name: "ada",
      email: "a@x.test",
      picture: "/a.png",
      sub: "7",
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
    })
  })

  it("calls the callbacks with the contract's arguments, and tells the event", async () => {
    const calls: [string, unknown][] = []
    const { browser: visit } = await start(
      configOf({
        callbacks: {
          jwt: (params) => {
            if (params.user === undefined) calls.push(["jwt", { ...params, token: { ...params.token } }])
            return params.token
          },
          session: (params) => {
            calls.push(["session", params])
            return { ...params.session, sub: params.token.sub } as never
          },
        },
        events: { session: (message) => void calls.push(["event", message]) },
      }),
    )
    const browser = visit()
    await signIn(browser)
    const body = await read(browser)
    const token = expect.objectContaining({ name: "ada", sub: "7" })
    const session = { user: { name: "ada", email: undefined, image: undefined }, expires: body.expires }
    expect(calls).toEqual([
      ["jwt", { token, session: undefined }],
      ["session", { session, token }],
      ["event", { session: { ...session, sub: "7" }, token }],
    ])
    expect(Object.keys(Object(calls[0]?.[1])).sort()).toEqual(["session", "token"])
    expect(body.sub).toBe("7")
  })

  it("is renewed by GET /session every time", async () => {
    const time = { now: Date.now() }
    const { browser: visit } = await start(configOf({ clock: () => time.now }))
    const browser = visit()
    await signIn(browser)
    const first = browser.cookie(NAME)
    time.now += 60_000
    const page = await browser.get("/auth/session")
    expect(browser.cookie(NAME)).not.toBe(first)
    expect(Date.parse((await page.json()).expires)).toBe(time.now + 30 * DAY)
    const { expiresAt = 0 } = browser.cookies().find(({ name }) => name === NAME) ?? {}
    expect(expiresAt - time.now).toBeGreaterThan(29 * DAY)
  })

  it("lasts as long as maxAge says", async () => {
    const { browser: visit } = await start(configOf({ session: { maxAge: 3600 } }))
    const browser = visit()
    await signIn(browser)
    const { iat = 0, exp = 0 } = await claimsIn(browser)
    expect(exp - iat).toBe(3600)
  })

  it("SES-06: ends when it was not used for maxAge", async () => {
    const time = { now: Date.now() }
    const { browser: visit } = await start(configOf({ clock: () => time.now, session: { maxAge: 3600 } }))
    const browser = visit({ now: () => time.now - 10 * DAY })
    await signIn(browser)
    const old = browser.cookie(NAME) ?? ""
    time.now += 3_600_000 - 1000
    expect(await read(browser)).not.toBeNull()
    const late = visit({ now: () => time.now - 10 * DAY })
    late.setCookie(NAME, old)
    time.now += 17_000
    const page = await late.get("/auth/session")
    expect([await page.json(), late.cookie(NAME)]).toEqual([null, undefined])
  })

  it("is garbage in, null out: cleared, and logged once", async () => {
    const log = recordingLogger()
    const { browser: visit } = await start(configOf({ logger: log.logger }))
    const salted = await encode({ token: { sub: "7" }, secret: TEST_SECRET, salt: "another" })
    for (const value of ["garbage", "a.b.c.d.e", "eyJhbGciOiJkaXIifQ..a.b.c", salted, `${salted}x`]) {
      const browser = visit()
      browser.setCookie(NAME, value)
      log.records.length = 0
      const page = await browser.get("/auth/session")
      expect([page.status, await page.json(), browser.cookie(NAME)]).toEqual([200, null, undefined])
      expect(log.records.filter(({ level }) => level !== "debug")).toMatchObject([{ code: "JWTSessionError" }])
      expect(log.text()).not.toContain(value)
    }
  })

  it("is refused anew each time, for loggers that write on the errors that they get", async () => {
    const seen: unknown[] = []
    const error = ({ cause }: Error) => seen.push(Object.assign(Object(cause).err, { isSeen: seen.length }))
    const { browser: visit } = await start(configOf({ logger: { error } }))
    for (const value of ["garbage", "rubbish"]) {
      const browser = visit()
      browser.setCookie(NAME, value)
      await browser.get("/auth/session")
    }
    expect(seen).toMatchObject([{ isSeen: 0 }, { isSeen: 1 }])
  })

  it("is updated by POST /session with the browser's token", async () => {
    const calls: unknown[] = []
    const { browser: visit } = await start(
      configOf({
        callbacks: {
          jwt: ({ token, trigger, session }) => {
            if (trigger !== "update") return token
            calls.push(session)
            return { ...token, name: session.name }
          },
        },
      }),
    )
    const browser = visit()
    await signIn(browser)
    const body = { csrfToken: await browser.csrf(), data: { name: "Ada L." } }
    const page = await browser.postJson("/auth/session", body)
    expect([page.status, await page.json()]).toMatchObject([200, { user: { name: "Ada L." } }])
    expect([calls, await read(browser)]).toMatchObject([[{ name: "Ada L." }], { user: { name: "Ada L." } }])
  })

  it("is not updated without the token: 400 null", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    const before = browser.cookie(NAME)
    for (const csrfToken of [undefined, "wrong", ["x"], {}, null]) {
      const page = await browser.postJson("/auth/session", { csrfToken, data: { name: "x" } })
      expect([page.status, await page.json(), page.headers.getSetCookie()]).toEqual([400, null, []])
    }
    expect(browser.cookie(NAME)).toBe(before)
  })

  it("keeps what the jwt callback changes", async () => {
    const { browser: visit } = await start(
      configOf({
        callbacks: {
          jwt: ({ token }) => ({ ...token, reads: Number(token["reads"] ?? 0) + 1 }),
          session: ({ session, token }) => ({ ...session, reads: token["reads"] }),
        },
      }),
    )
    const browser = visit()
    await signIn(browser)
    const reads = []
    for (const path of ["/me", "/me", "/auth/session", "/me"]) reads.push((await read(browser, path)).reads)
    expect(reads).toEqual([2, 3, 4, 5])
  })

  it("ends when the jwt callback gives null", async () => {
    let isBanned = false
    const { browser: visit } = await start(configOf({ callbacks: { jwt: ({ token }) => (isBanned ? null : token) } }))
    for (const path of ["/me", "/auth/session"]) {
      isBanned = false
      const browser = visit()
      await signIn(browser)
      isBanned = true
      expect([await read(browser, path), browser.cookie(NAME)]).toEqual([null, undefined])
    }
  })

  it.each(["jwt", "session"] as const)(
    "survives an exception in the %s callback: 500, cookie untouched",
    async (name) => {
      let isBroken = false
      const log = recordingLogger()
      const failing = (value: unknown) => {
        if (isBroken) throw new Error("in our own code, at db.internal")
        return value as never
      }
      const app = await start(
        configOf({
          logger: log.logger,
          callbacks:
            name === "jwt" ? { jwt: ({ token }) => failing(token) } : { session: ({ session }) => failing(session) },
        }),
      )
      const browser = app.browser()
      await signIn(browser)
      const before = browser.cookie(NAME)
      isBroken = true
      for (const path of ["/me", "/auth/session"]) {
        const page = await browser.get(path)
        expect([page.status, page.headers.getSetCookie(), browser.cookie(NAME)]).toEqual([500, [], before])
        expect(await page.text()).not.toContain("db.internal")
      }
      if (stage !== "Auth()")
        expect(app.errors).toMatchObject(Array(2).fill({ type: "CallbackRouteError", status: 500, expose: false }))
      expect(log.text()).toContain("in our own code")
      isBroken = false
      expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
    },
  )

  it("ADV-25: asks the jwt callback once for requests that come together", async () => {
    let refreshes = 0
    const config = configOf({
      callbacks: {
        jwt: async ({ token, user }) => {
          if (user) return { ...token, access: "old", ends: 0 }
          if (token["access"] !== "old") return token
          refreshes++
          await new Promise((resolve) => setTimeout(resolve, 50))
          return { ...token, access: `new ${refreshes}` }
        },
        session: ({ session, token }) => ({ ...session, access: token["access"] }),
      },
    })
    const { browser: visit } = await start(config)
    const browser = visit()
    await signIn(browser)
    const tabs = Array.from({ length: 20 }, () => browser.clone())
    const seen = await Promise.all(
      tabs.map(async (tab, i) => (await read(tab, i % 2 ? "/me" : "/auth/session")).access),
    )
    expect([refreshes, new Set(seen)]).toEqual([1, new Set(["new 1"])])
    for (const tab of tabs.slice(0, 3)) expect((await read(tab)).access).toBe("new 1")
  })

  it("shares nothing between requests that come together", async () => {
    const config = configOf({
      callbacks: {
        session: async ({ session, token }) => {
          token["seen"] = Number(token["seen"] ?? 0) + 1
          await new Promise((resolve) => setTimeout(resolve, 10))
          return { ...session, seen: token["seen"] }
        },
      },
    })
    const { browser: visit } = await start(config)
    const browser = visit()
    await signIn(browser)
    const tabs = Array.from({ length: 5 }, () => browser.clone())
    expect(await Promise.all(tabs.map(async (tab) => (await read(tab)).seen))).toEqual([1, 1, 1, 1, 1])
  })

  it("uses the application's own encode and decode", async () => {
    const sealed: unknown[] = []
    const { browser: visit } = await start(
      configOf({
        jwt: {
          encode: ({ token, salt, maxAge }) => {
            sealed.push({ salt, maxAge })
            return Buffer.from(JSON.stringify(token)).toString("base64url")
          },
          decode: ({ token }) => JSON.parse(Buffer.from(token ?? "", "base64url").toString()),
        },
      }),
    )
    const browser = visit()
    await signIn(browser)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    expect(sealed[0]).toEqual({ salt: NAME, maxAge: 30 * 24 * 3600 })
    expect(JSON.parse(Buffer.from(browser.cookie(NAME) ?? "", "base64url").toString())).toMatchObject({ name: "ada" })
  })

  it("answers HEAD without renewing anything", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    const page = await browser.request("/auth/session", { method: "HEAD" })
    expect([page.status, await page.text(), page.headers.getSetCookie()]).toEqual([200, "", []])
  })
})

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
