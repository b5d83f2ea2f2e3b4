import type { Adapter } from "../../../lib/adapters/adapter.js"
import { CredentialsSignin } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import { raw, skipCSRFCheck } from "../../../lib/symbols.js"
import type { AuthConfig, User } from "../../../lib/types.js"
import { type Attempt, configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { sharedStore } from "../../support/shared-store.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { param } from "../support/site.js"

failOnUnhandled()

const CALLBACK = "/auth/callback/credentials"
const sessionCookie = (browser: Browser) => browser.cookies().find(({ name }) => name.includes("session-token"))

/** A configuration with the `authorize` callback of a test. */
const configWithAuthorize = (authorize: () => User | null | Promise<User | null>) =>
  configOf({ providers: [Credentials({ authorize })], rateLimit: false })

describeServers("A sign-in with credentials", (start) => {
  it("creates a session and redirects to the return URL", async () => {
    const { browser: newBrowser, origin } = await start(configOf())
    const browser = newBrowser()
    const page = await signIn(browser, "/auth", { callbackUrl: "/welcome?x=1" })
    expect([page.status, page.location]).toEqual([302, `${origin}/welcome?x=1`])
    const session = await (await browser.get("/me")).json()
    expect(session).toEqual({ user: { name: "ada" }, expires: expect.any(String) })
    expect(Date.parse(session.expires) - Date.now()).toBeGreaterThan(29 * 24 * 3600 * 1000)
  })

  it("works with the form of the sign-in page, which keeps the return URL", async () => {
    const { browser: newBrowser, origin } = await start(configOf())
    const browser = newBrowser()
    const html = await (await browser.get("/auth/signin?callbackUrl=%2Fdeep")).text()
    const page = await browser.submit(browser.form(html, CALLBACK), { username: "ada", password: "right" })
    expect(page.location).toBe(`${origin}/deep`)
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("passes the whole body and the original request to authorize", async () => {
    const attempts: Attempt[] = []
    const { browser: newBrowser, origin } = await start(configOf({ providers: [people(attempts)] }))
    const browser = newBrowser()
    const csrfToken = await browser.csrf()
    const fields = { csrfToken, callbackUrl: "/x", username: "ada", password: "right" }
    await browser.post(`${CALLBACK}?tenant=7`, fields)
    const [{ credentials, request } = { credentials: {}, request: new Request("http://none") }] = attempts
    expect(credentials).toEqual(fields)
    expect([request.method, request.url]).toEqual(["POST", `${origin}${CALLBACK}?tenant=7`])
    expect(Object.fromEntries(new URLSearchParams(await request.text()))).toEqual(fields)
  })

  it("calls callbacks and events in the order and with the arguments of Auth.js", async () => {
    const calls: [string, unknown][] = []
    const record = (name: string, value: unknown) => void calls.push([name, value])
    const own = people()
    const config = configOf({
      providers: [
        {
          ...own,
          options: {
            ...own.options,
            authorize: () => {
              record("authorize", undefined)
              return { id: 7, name: "ada", email: "a@x.test", image: "/a.png", role: "admin" } as unknown as User
            },
          },
        },
      ],
      callbacks: {
        redirect: ({ url, baseUrl }) => {
          record("redirect", { url, baseUrl })
          return baseUrl + url
        },
        signIn: (params) => {
          record("signIn", params)
          return true
        },
        jwt: (params) => {
          record("jwt", params)
          return { ...params.token, role: Reflect.get(params.user, "role") }
        },
      },
      events: { signIn: (message) => record("event signIn", message) },
    })
    const { browser: newBrowser, origin } = await start(config)
    const browser = newBrowser()
    const csrfToken = await browser.csrf()
    calls.length = 0
    await browser.post(CALLBACK, { csrfToken, callbackUrl: "/x", password: "p" })
    const user = { id: "7", name: "ada", email: "a@x.test", image: "/a.png", role: "admin" }
    const account = { providerAccountId: "7", type: "credentials", provider: "credentials" }
    const token = { name: "ada", email: "a@x.test", picture: "/a.png", sub: "7" }
    const [jwt] = calls.filter(([name]) => name === "jwt")
    expect(calls.map(([name]) => name)).toEqual(["redirect", "authorize", "signIn", "jwt", "event signIn"])
    expect(calls[0]?.[1]).toEqual({ url: "/x", baseUrl: origin })
    expect(calls[2]?.[1]).toEqual({ user, account, credentials: { csrfToken, callbackUrl: "/x", password: "p" } })
    expect(jwt?.[1]).toMatchObject({ token, user, account, trigger: "signIn" })
    expect(calls[4]?.[1]).toEqual({ user, account })
  })

  it("generates an id for a user without one", async () => {
    const ids: unknown[] = []
    const { browser: newBrowser } = await start({
      ...configWithAuthorize(() => ({ name: "ada" })),
      events: { signIn: ({ account }) => void ids.push(account?.providerAccountId) },
    })
    await signIn(newBrowser())
    expect(ids).toEqual([expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/)])
  })

  it.each<[string, unknown]>([
    ["an object", {}],
    ["an object without a prototype", Object.create(null)],
    ["a promise", Promise.resolve("7")],
    ["an empty list", []],
    ["a list", ["7"]],
    ["an empty string", ""],
    ["the string undefined", "undefined"],
    ["a lone surrogate", "\ud83d"],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["an unsafe integer", Number("9007199254740993")],
    ["a boolean", true],
    ["a symbol", Symbol("7")],
    ["a function", () => "7"],
  ])("refuses a user whose id is %s, because several users could have the same id", async (_, id) => {
    const { logger, records } = recordingLogger()
    const { browser: newBrowser } = await start({
      ...configWithAuthorize(() => ({ id, name: "ada" }) as never),
      logger,
    })
    const browser = newBrowser()
    const page = await signIn(browser)
    expect([page.status, param(page.location, "error"), sessionCookie(browser)]).toEqual([
      302,
      "Configuration",
      undefined,
    ])
    expect(records).toMatchObject([{ level: "error", code: "CallbackRouteError" }])
    expect(records[0]?.error?.message).toMatch(/^authorize returned a user with an unusable id/)
  })

  it.each<[string, unknown, string]>([
    ["a number", 7, "7"],
    ["zero", 0, "0"],
    ["a bigint", 7n, "7"],
    ["an object with its own toString, such as an ObjectId", { toString: () => "65a1" }, "65a1"],
  ])("converts an id to a string: %s", async (_, id, text) => {
    const ids: unknown[] = []
    const config = configWithAuthorize(() => ({ id, name: "ada" }) as never)
    const { browser: newBrowser } = await start({
      ...config,
      events: { signIn: ({ user, account }) => void ids.push(user.id, account?.providerAccountId) },
    })
    await signIn(newBrowser())
    expect(ids).toEqual([text, text])
  })

  it("responds with JSON to clients that request it", async () => {
    const { browser: newBrowser, origin } = await start(configOf())
    const browser = newBrowser()
    const headers = { "x-auth-return-redirect": "1" }
    const csrfToken = await browser.csrf()
    const wrong = await browser.post(CALLBACK, { csrfToken, password: "wrong" }, { headers })
    expect([wrong.status, await wrong.json()]).toEqual([
      200,
      { url: `${origin}/auth/signin?error=CredentialsSignin&code=credentials` },
    ])
    const right = await browser.post(CALLBACK, { csrfToken, password: "right", callbackUrl: "/x" }, { headers })
    expect([right.status, await right.json(), right.location]).toEqual([200, { url: `${origin}/x` }, `${origin}/x`])
    expect(await (await browser.get("/me")).json()).not.toBeNull()
  })

  it("replaces the session of the current user", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    const first = sessionCookie(browser)?.value
    await signIn(browser, "/auth", { username: "bob" })
    expect(sessionCookie(browser)?.value).not.toBe(first)
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "bob" } })
  })

  it("keeps an existing session if the password is wrong", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    await signIn(browser, "/auth", { username: "bob", password: "wrong" })
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })
})

describeServers("Refused credentials", (start) => {
  const refusal = async (config: AuthConfig) => {
    const app = await start(config)
    const browser = app.browser()
    const page = await signIn(browser)
    expect([page.status, await (await browser.get("/me")).json(), sessionCookie(browser)]).toEqual([
      302,
      null,
      undefined,
    ])
    return page.location.slice(app.origin.length)
  }

  it("CRD-03: get the same response for an unknown user, a wrong password and a disabled account", async () => {
    const outcomes: (() => User | null)[] = [
      () => null,
      () => undefined as unknown as null,
      () => {
        throw new CredentialsSignin("no such user: ada")
      },
      () => {
        throw new CredentialsSignin("disabled", { user: "ada" })
      },
    ]
    const locations = await Promise.all(outcomes.map((outcome) => refusal(configWithAuthorize(outcome))))
    expect(new Set(locations)).toEqual(new Set(["/auth/signin?error=CredentialsSignin&code=credentials"]))
  })

  it("CRD-03: get a response with the application's error code only if it is a valid code", async () => {
    const withCode = (code: string) =>
      refusal(
        configWithAuthorize(() => {
          throw Object.assign(new CredentialsSignin(), { code })
        }),
      )
    const plain = "/auth/signin?error=CredentialsSignin&code=credentials"
    expect(await withCode("custom")).toBe("/auth/signin?error=CredentialsSignin&code=custom")
    for (const code of ["", "<script>", "a&error=x", "x".repeat(33), "password S3CRET! is wrong", "é"])
      expect(await withCode(code)).toBe(plain)
  })

  it("CRD-03: get a response with the code of a subclass of CredentialsSignin", async () => {
    class Locked extends CredentialsSignin {
      override code = "locked-out"
    }
    const location = await refusal(
      configWithAuthorize(() => {
        throw new Locked()
      }),
    )
    expect(location).toBe("/auth/signin?error=CredentialsSignin&code=locked-out")
  })

  it("CRD-04: are logged with the cause of the error that authorize threw", async () => {
    const refused = Object.assign(new CredentialsSignin("refused"), { cause: new Error("the directory is down") })
    const { logger, records } = recordingLogger()
    const app = await start({
      ...configWithAuthorize(() => {
        throw refused
      }),
      logger,
    })
    await signIn(app.browser())
    expect(records.map(({ error }) => error?.cause)).toMatchObject([
      { provider: "credentials", err: { message: "the directory is down" } },
    ])
  })

  it("CRD-04: get a response that does not reveal the value that authorize threw, which is logged once", async () => {
    const thrown: unknown[] = [
      "a string",
      null,
      undefined,
      42,
      Object.assign(new Error("SELECT * FROM users WHERE name = 'ada'"), { code: "42P01" }),
    ]
    for (const value of thrown) {
      const log = recordingLogger()
      const app = await start({
        ...configWithAuthorize(() => {
          throw value
        }),
        logger: log.logger,
      })
      const browser = app.browser()
      const page = await signIn(browser)
      expect([page.status, page.location]).toEqual([302, `${app.origin}/auth/error?error=Configuration`])
      const errorPage = await browser.get(page.location)
      const html = await errorPage.text()
      expect([errorPage.status, html.includes("SELECT"), html.includes("    at ")]).toEqual([500, false, false])
      const errors = log.records
      expect(errors).toMatchObject([{ level: "error", code: "CallbackRouteError" }])
      expect(errors[0]?.error?.cause).toMatchObject({ provider: "credentials" })
      if (value instanceof Error) expect(log.text()).toContain("SELECT * FROM users")
    }
  })

  it("CRD-06: get a response within 30 s if authorize hangs", async () => {
    let called = () => {}
    const authorizeCall = new Promise<void>((resolve) => {
      called = resolve
    })
    const log = recordingLogger()
    const app = await start({
      ...configWithAuthorize(() => {
        called()
        return new Promise(() => {})
      }),
      logger: log.logger,
    })
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    try {
      const page = browser.post(CALLBACK, { csrfToken })
      await authorizeCall
      await jest.advanceTimersByTimeAsync(30_000)
      expect((await page).location).toBe(`${app.origin}/auth/error?error=Configuration`)
    } finally {
      jest.useRealTimers()
    }
    expect(log.text()).toContain("authorize did not settle within 25 s")
  })

  it("CRD-08: never appear in the log, and neither do correct credentials", async () => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start({ ...configOf({ debug: true }), logger: log.logger })
    for (const password of ["S3CRET!", "right"]) await signIn(newBrowser(), "/auth", { password, otp: "S3CRET!" })
    expect(log.records.length).toBeGreaterThan(0)
    expect(log.text()).not.toContain("S3CRET!")
    expect(log.text()).not.toMatch(/password["'=: ]+right/)
  })

  it("cause a warning in the log instead of an error, because they need no fix", async () => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start({ ...configOf(), logger: log.logger })
    await signIn(newBrowser(), "/auth", { password: "wrong" })
    const records = log.records
    expect(records).toMatchObject([{ level: "warn", code: "CredentialsSignin" }])
  })

  it("redirect to pages.signIn", async () => {
    const config = { ...configWithAuthorize(() => null), pages: { signIn: "/login?theme=dark" } }
    expect(await refusal(config)).toBe("/login?theme=dark&error=CredentialsSignin&code=credentials")
  })

  it("keep the return URL", async () => {
    const app = await start(configWithAuthorize(() => null))
    const page = await signIn(app.browser(), "/auth", { callbackUrl: "/deep" })
    expect(new URL(page.location).searchParams.get("callbackUrl")).toBe(`${app.origin}/deep`)
  })

  it.each([
    ["returns false", () => false, "/auth/error?error=AccessDenied"],
    ["rejects", () => Promise.reject(new Error("no")), "/auth/error?error=AccessDenied"],
    ["returns a path", () => "/wait", "/wait"],
    ["returns a URL of another site", () => "https://evil.test/", "/"],
  ])("create no session if the signIn callback %s", async (_name, signInCallback, expected) => {
    const config = configOf({ callbacks: { signIn: signInCallback } })
    expect((await refusal(config)).replace(/^$/, "/")).toBe(expected)
  })

  it("create no session if the jwt callback returns null, and the signIn event is still called", async () => {
    const names: unknown[] = []
    const config = configOf({
      callbacks: { jwt: () => null },
      events: { signIn: ({ user }) => void names.push(user.name) },
    })
    expect((await refusal(config)).replace(/^\/?$/, "/")).toBe("/")
    expect(names).toEqual(["ada"])
  })
})

describeServers("The credentials callback", (start) => {
  it.each(["GET", "PUT", "DELETE"])("responds to %s with 405", async (method) => {
    const page = await (await start(configOf())).browser().request(CALLBACK, { method })
    expect([page.status, page.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("is not reached by POST /signin, which redirects to the sign-in page", async () => {
    const { browser: newBrowser, origin } = await start(configOf())
    const browser = newBrowser()
    const page = await browser.post("/auth/signin/credentials", { csrfToken: await browser.csrf() })
    expect(page.location).toBe(`${origin}/auth/signin`)
  })

  it("SES-34: refuses a POST from another site and keeps the session", async () => {
    const attempts: Attempt[] = []
    const { browser: newBrowser } = await start(configOf({ providers: [people(attempts)] }))
    const browser = newBrowser()
    await signIn(browser)
    const attacker = newBrowser()
    const csrfToken = await attacker.csrf()
    for (const fields of [{}, { csrfToken }]) {
      const from = "https://evil.test"
      const page = await browser.post(CALLBACK, { ...fields, username: "mallory", password: "right" }, { from })
      expect(page.location).toContain("/auth/signin?error=MissingCSRF")
    }
    expect(attempts).toHaveLength(1)
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("requires and issues no CSRF token with skipCSRFCheck", async () => {
    const { browser: newBrowser } = await start(configOf({ skipCSRFCheck }))
    const browser = newBrowser()
    const csrf = await browser.get("/auth/csrf")
    expect([csrf.status, await csrf.text()]).toEqual([404, ""])
    expect(csrf.headers.getSetCookie().at(-1)).toMatch(/^authjs\.csrf-token=; Max-Age=0/)
    expect((await browser.post(CALLBACK, { username: "ada", password: "right" })).status).toBe(302)
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })
})

describeServers("CRD-01: repeated wrong passwords", (start) => {
  const wrong = { password: "wrong" }

  it("get 429 with Retry-After until that time has passed", async () => {
    const time = { now: Date.now() }
    const attempts: Attempt[] = []
    const log = recordingLogger()
    const app = await start(configOf({ providers: [people(attempts)], clock: () => time.now, logger: log.logger }))
    const browser = app.browser()
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await signIn(browser, "/auth", wrong)).status)
    expect(statuses).toEqual([...Array(10).fill(302), 429, 429])
    expect(attempts).toHaveLength(10)
    const refused = await signIn(browser)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"])
    expect(await refused.text()).not.toContain("    at ")
    expect(log.records.filter(({ code }) => code === "TooManyAttempts")).toMatchObject(Array(3).fill({ level: "warn" }))
    time.now += 901_000
    expect((await signIn(browser)).status).toBe(302)
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("are counted for one account, regardless of the case and spaces of its name", async () => {
    const app = await start(configOf({ rateLimit: { attempts: 2 } }))
    const spellings = ["ada", " ADA ", "Ada"]
    const statuses = []
    for (const username of spellings)
      statuses.push((await signIn(app.browser(), "/auth", { username, ...wrong })).status)
    expect(statuses).toEqual([302, 302, 429])
    expect((await signIn(app.browser(), "/auth", { username: "bob" })).status).toBe(302)
  })

  it.each([
    ["accents", ["ada", "àda", "ａｄａ", "a\u200bda"]],
    ["names that exceed the maximum length", ["a".repeat(201), "b".repeat(1_001)]],
  ])("are counted for one account if a database may treat the names as equal: %s", async (_what, spellings) => {
    const app = await start(configOf({ rateLimit: { attempts: 1 } }))
    const statuses = []
    for (const username of spellings)
      statuses.push((await signIn(app.browser(), "/auth", { username, ...wrong })).status)
    expect(statuses).toEqual([302, ...spellings.slice(1).map(() => 429)])
    expect((await signIn(app.browser(), "/auth", { username: "carl" })).status).toBe(302)
  })

  it("are still counted after a correct password, which is not counted itself", async () => {
    const app = await start(configOf({ rateLimit: { attempts: 3 } }))
    const browser = app.browser()
    const passwords = ["wrong", "wrong", "right", "right", "wrong", "right"]
    const statuses = []
    for (const password of passwords) statuses.push((await signIn(browser, "/auth", { password })).status)
    expect(statuses).toEqual([...Array(5).fill(302), 429])
  })

  it("are counted per account if rateLimit.account is asynchronous", async () => {
    const account = async ({ username }: Partial<Record<string, unknown>>) => (username as string).toLowerCase()
    const app = await start(configOf({ rateLimit: { attempts: 1, account } }))
    const statuses = []
    for (const username of ["bob", "carl", "Bob"])
      statuses.push((await signIn(app.browser(), "/auth", { username, ...wrong })).status)
    expect(statuses).toEqual([302, 302, 429])
    // `account` throws for a form without the field: the request is refused, and the process continues.
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    expect((await browser.post(CALLBACK, { csrfToken })).location).toBe(`${app.origin}/auth/error?error=Configuration`)
  })

  it("get a JSON response if the client requests JSON", async () => {
    const app = await start(configOf({ rateLimit: { attempts: 1 } }))
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    await browser.post(CALLBACK, { csrfToken, username: "ada" })
    const headers = { "x-auth-return-redirect": "1", accept: "application/json" }
    const page = await browser.post(CALLBACK, { csrfToken, username: "ada" }, { headers })
    expect([page.status, await page.json()]).toEqual([429, { url: `${app.origin}/auth/error?error=TooManyAttempts` }])
  })

  it("are counted in the store, under a hash of the account", async () => {
    const shared = sharedStore()
    const config = { store: shared.store, rateLimit: { attempts: 1, windowSeconds: 60 } }
    const browser = (await start(configOf(config))).browser()
    const pages = [await signIn(browser, "/auth", wrong), await signIn(browser, "/auth", wrong)]
    expect(pages.map(({ status }) => status)).toEqual([302, 429])
    expect(pages[1]?.headers.get("retry-after")).toBe("60")
    const keys = [...shared.counters.keys()]
    expect(keys.map((key) => key.split(":")[0])).toEqual(["failuresPerClient", "failuresPerSite", "attempts"])
    for (const key of keys) expect(key).toMatch(/:[\w-]{43}$/)
  })

  it("are counted by this process while the store fails", async () => {
    const log = recordingLogger()
    const { store } = sharedStore({ increment: () => Promise.reject(new Error("redis is down")) })
    const app = await start(configOf({ store, rateLimit: { attempts: 2 }, logger: log.logger }))
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await signIn(app.browser(), "/auth", wrong)).status)
    expect(statuses).toEqual([302, 302, 429])
    const reports = log.records.filter(({ level }) => level === "error")
    expect(reports.map(({ error }) => error?.message)).toEqual([
      "the store failed to count attempts, so this process counted in memory",
    ])
    expect(reports[0]?.error?.cause).toMatchObject({ err: { message: "debug: true logs the message" } })
    expect(log.text()).toContain("store_increment failed: redis is down")
  })

  it("are not counted with rateLimit: false", async () => {
    const browser = (await start(configOf({ rateLimit: false }))).browser()
    const statuses = []
    for (let i = 0; i < 20; i++) statuses.push((await signIn(browser, "/auth", wrong)).status)
    expect(new Set(statuses)).toEqual(new Set([302]))
  })
})

describeServers("CRD-02, ADV-22: attempts from several IP addresses", (start, stage) => {
  it("CRD-01: are counted together if only X-Forwarded-For differs and trust proxy is off", async () => {
    const app = await start(configOf({ rateLimit: { attempts: 2 } }))
    const statuses = []
    for (let i = 1; i <= 3; i++) {
      const browser = app.browser({ headers: { "x-forwarded-for": `192.0.2.${i}` } })
      statuses.push((await signIn(browser, "/auth", { password: "wrong" })).status)
    }
    expect(statuses).toEqual([302, 302, 429])
  })

  // The other hosts have no `trust proxy`, so all clients have the same address there.
  if (!stage.startsWith("Express")) return

  const createAttempt = async (over: Partial<AuthConfig> = {}) => {
    const app = await start(configOf({ rateLimit: { attempts: 5 }, ...over }), {
      setup: (server) => server.set?.("trust proxy", 1),
    })
    return async (address: string, password = "wrong") =>
      (await signIn(app.browser({ headers: { "x-forwarded-for": address } }), "/auth", { password })).status
  }

  it("CRD-02: an attacker at another address does not lock out the owner", async () => {
    const attempt = await createAttempt()
    for (let i = 0; i < 6; i++) await attempt("198.51.100.1")
    expect([await attempt("198.51.100.1", "right"), await attempt("203.0.113.9", "right")]).toEqual([429, 302])
  })

  it("ADV-22: are counted per IPv6 /64 network", async () => {
    const attempt = await createAttempt()
    const statuses = []
    for (let i = 1; i <= 6; i++) statuses.push(await attempt(`2001:db8::${i}`))
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
    expect(await attempt("2001:DB8:0:0:ffff::1")).toBe(429)
    expect(await attempt("2001:db8:0:1::1")).toBe(302)
  })

  it("ADV-22: are counted together for an IPv4 address and its IPv4-mapped IPv6 form", async () => {
    const attempt = await createAttempt()
    const addresses = ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"]
    const statuses = []
    for (const address of addresses) statuses.push(await attempt(address))
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
    expect(await attempt("192.0.2.2")).toBe(302)
  })

  it.each([
    ["IPv4", (port: number) => `192.0.2.1:${port}`, "192.0.2.2:1"],
    ["IPv6", (port: number) => `[2001:db8::1]:${port}`, "[2001:db8:0:1::1]:1"],
  ])("ADV-22: are counted together for an %s address with any port that a proxy appends", async (_name, at, other) => {
    const attempt = await createAttempt()
    const statuses = []
    for (let port = 1; port <= 6; port++) statuses.push(await attempt(at(port)))
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
    expect(await attempt(other)).toBe(302)
  })
})

describe("Raw mode", () => {
  it("returns the reply as data and throws errors", async () => {
    const { Auth } = await import("../../../lib/index.js")
    const config: AuthConfig & { raw: typeof raw } = { ...configOf({ trustHost: true, basePath: "/auth" }), raw }
    const csrf = await Auth(new Request("http://app.test/auth/csrf"), config)
    expect(csrf).toMatchObject({
      status: 200,
      body: { csrfToken: expect.any(String) },
      cookies: [
        { name: "authjs.csrf-token", options: { httpOnly: true, sameSite: "lax", path: "/" } },
        { name: "authjs.callback-url" },
      ],
    })
    const cookie = csrf.cookies?.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join("; ") ?? ""
    const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      Auth(
        new Request(`http://app.test${CALLBACK}`, {
          method: "POST",
          headers: { cookie, ...headers },
          body: new URLSearchParams({ csrfToken: csrf.body.csrfToken, ...fields }),
        }),
        config,
      )
    expect(await post({ username: "ada", password: "right" })).toMatchObject({
      status: 302,
      redirect: "http://app.test",
      cookies: [
        expect.objectContaining({ name: "authjs.csrf-token" }),
        expect.objectContaining({ name: "authjs.session-token" }),
      ],
    })
    await expect(post({ password: "wrong" })).rejects.toMatchObject({ type: "CredentialsSignin", code: "credentials" })
    expect(await post({ password: "wrong" }, { "x-auth-return-redirect": "1" })).toBeInstanceOf(Response)
  })
})

describeServers("Credentials with an adapter", (start) => {
  it("create a new database session at each sign-in", async () => {
    const rows = new Map<string, { sessionToken: string; userId: string; expires: Date }>()
    const user = { id: "7", name: "ada", email: "a@x.test", emailVerified: null }
    const adapter: Adapter = {
      createSession: async (row) => {
        rows.set(row.sessionToken, row)
        return row
      },
      getSessionAndUser: async (token) => {
        const session = rows.get(token)
        return session ? { session, user } : null
      },
      updateSession: async () => null,
      deleteSession: async (token) => void rows.delete(token),
      createUser: async (created) => created,
      updateUser: async () => user,
      ...{ getUser: async () => user, getUserByEmail: async () => user, getUserByAccount: async () => null },
      linkAccount: async () => null,
    }
    const { browser: newBrowser } = await start(configOf({ adapter }))
    const browser = newBrowser()
    await signIn(browser)
    const [first] = [...rows.keys()]
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada", email: "a@x.test" } })
    await signIn(browser)
    expect([rows.size, rows.has(first ?? "")]).toEqual([1, false])
    expect([...rows.values()][0]?.userId).toBe("7")
  })
})
