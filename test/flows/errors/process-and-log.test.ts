/**
 * Malformed requests, the content of the log, and the immutable configuration: FLT-01, FLT-26, FLT-28 and ADV-21.
 *
 * @module
 */
import { encode } from "../../../lib/jwt.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { shortestDuration } from "../../support/shortest-duration.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const CALLBACK = "/auth/callback/credentials"

/** Freezes an object deeply, so that every write throws. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return value
}

describeServers("The process", (start) => {
  it("FLT-01: survives malformed headers and cookies", async () => {
    const app = await start(configOf())
    const odd: Record<string, string>[] = [
      { "x-forwarded-host": "a b" },
      { "x-forwarded-proto": ":" },
      { cookie: "authjs.callback-url=notaurl" },
      { cookie: `${NAME}=%; ${NAME}.0=%; =; ;;; a` },
      { cookie: "authjs.csrf-token=%7C; __proto__=1; constructor=2" },
      { authorization: "Bearer %", origin: "null", "sec-fetch-site": "odd", accept: "" },
      { "content-type": "application/json; charset=" },
    ]
    for (const headers of odd)
      for (const path of ["/me", "/auth/session", "/auth/signin", "/auth/csrf"]) {
        const page = await app.browser().get(path, { headers })
        expect([headers, path, page.status]).toEqual([headers, path, 200])
      }
    expect(app.errors).toEqual([])
  })

  it("does not modify Object.prototype", async () => {
    const before = Reflect.ownKeys(Object.prototype).map(String)
    const browser = (await start(configOf())).browser()
    const csrfToken = await browser.csrf()
    await browser.get("/auth/signin?__proto__[x]=1&constructor[prototype][x]=1&__proto__=1")
    await browser.post(CALLBACK, { csrfToken, ["__proto__"]: "1", "constructor[prototype][x]": "1" })
    const headers = { "content-type": "application/json" }
    const body = `{"csrfToken":"${csrfToken}","__proto__":{"x":1},"data":{"__proto__":{"x":1}}}`
    for (const path of [CALLBACK, "/auth/session"]) await browser.request(path, { method: "POST", headers, body })
    expect(Reflect.ownKeys(Object.prototype).map(String)).toEqual(before)
  })
})

describeServers("FLT-26: the log", (start) => {
  it("has one record for each refused sign-in, and each successful one calls the signIn event", async () => {
    const log = recordingLogger()
    const signIns: unknown[] = []
    const { browser: newBrowser } = await start(
      configOf({
        logger: log.logger,
        events: { signIn: ({ user, account }) => void signIns.push([user.id, account?.provider]) },
      }),
    )
    await signIn(newBrowser(), "/auth", { password: "wrong", username: "ada@private.test" })
    const refusals = log.records
    expect(refusals).toMatchObject([{ level: "warn", code: "CredentialsSignin" }])
    expect(log.text()).toContain("credentials")
    expect(log.text()).not.toContain("ada@private.test")
    expect(signIns).toEqual([])
    log.records.length = 0
    await signIn(newBrowser())
    expect([signIns, log.records]).toEqual([[["7", "credentials"]], []])
  })

  it("contains no secret, token, cookie or password at any level", async () => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start(configOf({ logger: log.logger, debug: true }))
    const browser = newBrowser()
    await signIn(browser, "/auth", { password: "S3CRET!" })
    await signIn(browser)
    await browser.get("/auth/session")
    await browser.post("/auth/signout", { csrfToken: "forged" })
    const csrfToken = await browser.csrf()
    for (const text of [TEST_SECRET, "S3CRET!", csrfToken, browser.cookie(NAME) ?? "missing"])
      expect([text, log.text().includes(text)]).toEqual([text, false])
  })
})

describeServers("ADV-21: the configuration", (start) => {
  it("is not modified by concurrent requests", async () => {
    const config: AuthConfig = configOf({
      providers: [people()],
      session: { maxAge: 3600 },
      pages: {},
      callbacks: {},
      events: {},
      cookies: { sessionToken: { name: "own", options: { path: "/" } } },
      theme: { colorScheme: "dark" },
      rateLimit: false,
      basePath: "/auth",
    })
    const before = JSON.stringify(config)
    const app = await start(deepFreeze({ ...config }))
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const pages = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const path = ["/auth/signin", "/auth/%73ignin", "/auth/a", "/auth/providers", "/me"][i % 5] ?? ""
        return i % 3 ? browser.clone().get(path) : browser.clone().post(CALLBACK, { csrfToken, password: "right" })
      }),
    )
    expect(pages.filter(({ status }) => status >= 500)).toEqual([])
    expect(JSON.stringify(config)).toBe(before)
    const { credentials } = await (await browser.get("/auth/providers")).json()
    expect(credentials.signinUrl).toBe(`${app.origin}/auth/signin/credentials`)
  })

  it("does not affect another application", async () => {
    const one = await start(configOf({ basePath: "/one", cookies: { sessionToken: { name: "one" } } }))
    const other = await start(configOf({ basePath: "/other", secret: "another secret, of forty-three letters in all" }))
    const browser = one.browser()
    await signIn(browser, "/one")
    const otherBrowser = other.browser()
    otherBrowser.setCookie(NAME, browser.cookie("one") ?? "")
    expect(await (await otherBrowser.get("/other/session")).json()).toBeNull()
    expect(await (await browser.get("/one/session")).json()).not.toBeNull()
    expect((await browser.get("/other/session")).status).toBe(404)
  })
})

it("FLT-28: an invalid session cookie is rejected in less than 2 ms, even with several secrets", async () => {
  const { Auth } = await import("../../../lib/index.js")
  const secret = Array.from({ length: 5 }, (_, i) => `${TEST_SECRET} ${i}`)
  const config = configOf({ secret, trustHost: true, basePath: "/auth" })
  const foreign = await encode({ token: { sub: "1" }, secret: "not one of them, of thirty-five letters", salt: NAME })
  const junk = [foreign, `${foreign.slice(0, -5)}AAAAA`, "a.b.c.d.e", "x".repeat(3_900)]
  const request = (i: number) =>
    Auth(
      new Request("http://app.test/auth/session", { headers: { cookie: `${NAME}=${junk[i % junk.length]}` } }),
      config,
    )
  for (let i = 0; i < 200; i++) await request(i)
  const duration = await shortestDuration(async () => {
    for (let i = 0; i < 100; i++) await request(i)
  })
  expect(duration / 100).toBeLessThan(2)
})
