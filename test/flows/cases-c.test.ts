/**
 * Cases of section C: session, cookies, CSRF.
 *
 * @module
 */
import { decode, encode } from "../../lib/jwt.js"
import type { AuthConfig } from "../../lib/types.js"
import { type Attempt, configOf, people, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser, StoredCookie } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const CALLBACK = "/auth/callback/credentials"
const OLD = "the old secret of this test, forty-one letters"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const names = (browser: Browser) => browser.cookies().map(({ name }) => name)

describeServers("cookies", (start, stage) => {
  it("SES-01: have every attribute over https, and stay below 4096 bytes", async () => {
    const app = await start(configOf(), { origin: "https://app.test" })
    const browser = app.browser()
    await browser.get("/auth/signin?callbackUrl=%2Fx")
    await signIn(browser)
    const found = Object.fromEntries(browser.cookies().map((cookie) => [cookie.name, cookie]))
    expect(Object.keys(found).sort()).toEqual([
      "__Host-authjs.csrf-token",
      "__Secure-authjs.callback-url",
      "__Secure-authjs.session-token",
    ])
    for (const { name, value, ...attributes } of Object.values(found)) {
      expect(attributes).toMatchObject({ httpOnly: true, secure: true, sameSite: "lax", path: "/" })
      expect(name.length + value.length).toBeLessThan(4096)
    }
    const page = await signIn(browser)
    for (const cookie of page.headers.getSetCookie()) {
      expect(cookie).toMatch(/; Path=\/(; Expires=[^;]+)?; HttpOnly; Secure; SameSite=Lax$/)
      expect(cookie).not.toMatch(/domain/i)
    }
  })

  it("SES-10: of a neighbour's look-alike names change nothing", async () => {
    const log = recordingLogger()
    const { browser: visit } = await start(configOf({ logger: log.logger }))
    const browser = visit()
    await signIn(browser)
    const planted = [`${NAME}.9`, `${NAME}X`, `${NAME}.`, `${NAME}.x`, `${NAME}.0x`, `${NAME}.1`, `${NAME}-old`]
    for (const name of planted) browser.setCookie(name, "junk")
    for (const path of ["/auth/session", "/me"])
      expect(await read(browser, path)).toMatchObject({ user: { name: "ada" } })
    expect(names(browser)).toEqual(expect.arrayContaining([`${NAME}X`, `${NAME}.x`, `${NAME}-old`, NAME]))
  })

  it("SES-10: of a neighbour's whole set of parts beside the real one sign nobody out", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    browser.setCookie(`${NAME}.0`, "junk")
    browser.setCookie(`${NAME}.1`, "junk")
    expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
  })

  it.each(["notaurl", "%", "javascript:1", "data:text/html,x", "http://", "\\\\evil.test", "%00"])(
    "SES-12: a callback-url cookie of %s harms nothing, and is replaced",
    async (value) => {
      const { browser: visit, origin } = await start(configOf())
      for (const path of ["/auth/session", "/me", "/auth/signin", "/auth/csrf", "/auth/providers"]) {
        const browser = visit()
        browser.setCookie("authjs.callback-url", value)
        expect([path, (await browser.get(path)).status]).toEqual([path, 200])
      }
      for (const path of ["/auth/session", "/auth/providers", "/auth/csrf"]) {
        const browser = visit()
        browser.setCookie("authjs.callback-url", value)
        await browser.get(path)
        expect([path, browser.cookie("authjs.callback-url")]).not.toEqual([path, value])
      }
      const browser = visit()
      browser.setCookie("authjs.callback-url", value)
      expect((await signIn(browser)).location).toBe(`${origin}/`)
      expect(decodeURIComponent(browser.cookie("authjs.callback-url") ?? "")).toBe(origin)
    },
  )

  it("SES-14: of a session that is too large are not half written, and the log says so", async () => {
    let size = 20_000
    const log = recordingLogger()
    const config = configOf({
      logger: log.logger,
      callbacks: { jwt: ({ token }) => ({ ...token, filler: "x".repeat(size) }) },
    })
    const { browser: visit, origin } = await start(config)
    const refused = visit()
    const page = await signIn(refused)
    expect(page.location).toBe(`${origin}/auth/error?error=Configuration`)
    expect(names(refused).filter((name) => name.startsWith(NAME))).toEqual([])
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "JWTSessionError" }])

    size = 5_000
    const browser = visit()
    const sent = (await signIn(browser)).headers.getSetCookie().filter((cookie) => cookie.startsWith(NAME))
    expect(sent.map((cookie) => cookie.split("=")[0])).toEqual([`${NAME}.0`, `${NAME}.1`])
    expect(sent.every((cookie) => cookie.length <= 4096)).toBe(true)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })

    size = 10
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    expect(names(browser).filter((name) => name.startsWith(NAME))).toEqual([NAME])
    size = 5_000
    await read(browser)
    expect(names(browser).filter((name) => name.startsWith(NAME))).toEqual([`${NAME}.0`, `${NAME}.1`])
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect(names(browser).filter((name) => name.startsWith(NAME))).toEqual([])
  })

  it("SES-15: too many of them from a client are no error of ours", async () => {
    const { browser: visit } = await start(configOf())
    const headers = { cookie: `junk=${"x".repeat(14_000)}; ${NAME}.0=a; ${NAME}.1=b` }
    const page = await visit().get("/auth/session", { headers })
    expect([page.status, await page.json()]).toEqual([200, null])
    if (stage === "Auth()") return
    const tooMuch = await visit().get("/auth/session", { headers: { cookie: `junk=${"x".repeat(20_000)}` } })
    expect(tooMuch.status).toBe(431)
    expect((await visit().get("/me")).status).toBe(200)
  })

  it("SES-17: and everything that holds a token or sets one are kept by no cache", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    const csrfToken = await browser.csrf()
    const pages = [
      await browser.get("/auth/session"),
      await browser.postJson("/auth/session", { csrfToken }),
      await browser.postJson("/auth/session", {}),
      await browser.get("/auth/csrf"),
      await browser.get("/auth/providers"),
      await browser.get("/auth/signin"),
      await browser.get("/auth/signout"),
      await browser.get("/auth/error"),
      await browser.get("/auth/verify-request"),
      await signIn(browser),
      await signIn(browser, "/auth", { password: "wrong" }),
      await browser.post("/auth/signout", { csrfToken }),
      await browser.post("/auth/signout", {}),
      await browser.request("/auth/csrf", { method: "PUT" }),
    ]
    for (const page of pages)
      expect([page.url, page.headers.get("cache-control")]).toEqual([
        page.url,
        expect.stringMatching(/private.*no-store/),
      ])
  })

  it("SES-18: are not readable from other sites", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    await signIn(browser)
    const headers = { origin: "https://evil.test", "access-control-request-method": "GET" }
    const plain = await browser.get("/auth/session", { headers })
    const preflight = await browser.request("/auth/session", { method: "OPTIONS", headers })
    for (const page of [plain, preflight])
      expect([...page.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([])
    expect(preflight.status).toBe(405)
  })
})

describeServers("CSRF", (start) => {
  const POSTS = ["/auth/signin/credentials", "/auth/signout", CALLBACK, "/auth/session"]

  it("SES-19: a POST without the browser's own token does nothing", async () => {
    const attempts: Attempt[] = []
    const log = recordingLogger()
    const app = await start(configOf({ providers: [people(attempts)], logger: log.logger }))
    const browser = app.browser()
    await signIn(browser)
    const session = browser.cookie(NAME)
    const stranger = await app.browser().csrf()
    log.records.length = 0
    for (const path of POSTS)
      for (const fields of [{}, { csrfToken: "" }, { csrfToken: "wrong" }, { csrfToken: stranger }]) {
        const page = await browser.post(path, { ...fields, username: "mallory", password: "right" })
        if (path === "/auth/session") expect([page.status, await page.json()]).toEqual([400, null])
        else expect([page.status, page.location]).toEqual([302, `${app.origin}/auth/signin?error=MissingCSRF`])
      }
    expect([attempts.length, browser.cookie(NAME)]).toEqual([1, session])
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
    expect(log.records.filter(({ code }) => code === "MissingCSRF")).toHaveLength(16)
  })

  it("SES-19: the token in the query or under the session of nobody does not count", async () => {
    const app = await start(configOf())
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const inQuery = await browser.post(`/auth/signout?csrfToken=${csrfToken}`, {})
    const noCookie = await app.browser().post("/auth/signout", { csrfToken })
    const asList = await browser.postJson("/auth/signout", { csrfToken: [csrfToken] })
    for (const page of [inQuery, noCookie, asList]) expect(page.location).toContain("error=MissingCSRF")
  })

  it("SES-19: a cookie that was made without our secret does not count", async () => {
    const browser = (await start(configOf())).browser()
    const csrfToken = "a".repeat(64)
    for (const hash of ["", "b".repeat(64), csrfToken]) {
      browser.setCookie("authjs.csrf-token", encodeURIComponent(`${csrfToken}|${hash}`))
      expect((await browser.post("/auth/signout", { csrfToken })).location).toContain("error=MissingCSRF")
    }
  })

  it("SES-20: a pair of the attacker's own, planted in the victim's browser, is refused from his site", async () => {
    const app = await start(configOf())
    const [victim, attacker] = [app.browser(), app.browser()]
    await signIn(victim)
    const csrfToken = await attacker.csrf()
    victim.setCookie("authjs.csrf-token", attacker.cookie("authjs.csrf-token") ?? "", { sameSite: "none" })
    const page = await victim.post("/auth/signout", { csrfToken }, { from: "https://evil.test" })
    expect(page.location).toContain("error=MissingCSRF")
    expect(await read(victim)).not.toBeNull()
  })

  it("SES-20: over https the cookie is one that no neighbour can plant", async () => {
    const app = await start(configOf(), { origin: "https://app.test" })
    const browser = app.browser()
    await browser.csrf()
    const [csrf] = browser.cookies().filter(({ name }) => name.includes("csrf")) as [StoredCookie]
    expect(csrf.name).toBe("__Host-authjs.csrf-token")
    const plain = app.browser()
    plain.setCookie("authjs.csrf-token", csrf.value)
    const page = await plain.post("/auth/signout", { csrfToken: decodeURIComponent(csrf.value).split("|")[0] ?? "" })
    expect(page.location).toContain("error=MissingCSRF")
  })

  it.each([
    ["Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["Origin, where the browser sends no Sec-Fetch-Site", { "sec-fetch-site": "", origin: "https://evil.test" }],
    ["an Origin of another port", { "sec-fetch-site": "", origin: "http://127.0.0.1:1" }],
    ["an Origin that is no URL", { "sec-fetch-site": "", origin: "evil" }],
    ["both", { "sec-fetch-site": "cross-site", origin: "null" }],
  ])("SES-21: a POST that comes from another site, says %s, is refused whatever it carries", async (_name, headers) => {
    const app = await start(configOf())
    const browser = app.browser()
    await signIn(browser)
    const csrfToken = await browser.csrf()
    for (const path of POSTS) {
      const page = await browser.post(path, { csrfToken }, { headers })
      if (path === "/auth/session") expect(page.status).toBe(400)
      else expect(page.location).toContain("error=MissingCSRF")
    }
    expect(await read(browser)).not.toBeNull()
  })

  it.each([
    ["an Origin of null, as pages with no-referrer send", { "sec-fetch-site": "", origin: "null" }],
    ["neither header, as old browsers send", { "sec-fetch-site": "", origin: "" }],
    ["same-origin", { "sec-fetch-site": "same-origin" }],
    ["an Origin of null beside same-origin", { "sec-fetch-site": "same-origin", origin: "null" }],
  ])("SES-21: a POST with %s and the token is taken", async (_name, headers) => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
    expect(await read(browser)).toBeNull()
  })

  it("keeps one token for all of a browser's tabs", async () => {
    const browser = (await start(configOf())).browser()
    const first = await browser.csrf()
    expect([await browser.csrf(), (await browser.get("/auth/csrf")).headers.getSetCookie()]).toEqual([first, []])
  })
})

describeServers("the secret", (start) => {
  it("SES-25: may be followed by the old one: sessions go on, under the new one from then on", async () => {
    const before = (await start(configOf({ secret: OLD }))).browser()
    await signIn(before)
    const browser = (await start(configOf({ secret: [TEST_SECRET, OLD] }))).browser()
    const old = before.cookie(NAME) ?? ""
    browser.setCookie(NAME, old)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    const renewed = browser.cookie(NAME) ?? ""
    const kid = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid
    expect(kid(renewed)).not.toBe(kid(old))
    expect(await decode({ token: renewed, secret: TEST_SECRET, salt: NAME })).toMatchObject({ name: "ada" })
  })

  it("SES-26: may change while a form is open", async () => {
    const before = (await start(configOf({ secret: OLD }))).browser()
    const csrfToken = await before.csrf()
    const browser = (await start(configOf({ secret: [TEST_SECRET, OLD] }))).browser()
    browser.setCookie("authjs.csrf-token", before.cookie("authjs.csrf-token") ?? "")
    await browser.post(CALLBACK, { csrfToken, username: "ada", password: "right" })
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
  })

  it("SES-27: may be removed: its sessions end, without an error", async () => {
    const before = (await start(configOf({ secret: [OLD, TEST_SECRET] }))).browser()
    await signIn(before)
    const browser = (await start(configOf())).browser()
    browser.setCookie(NAME, before.cookie(NAME) ?? "")
    const page = await browser.get("/me")
    expect([page.status, await page.json(), browser.cookie(NAME)]).toEqual([200, null, undefined])
    browser.setCookie("authjs.csrf-token", before.cookie("authjs.csrf-token") ?? "")
    expect(await browser.csrf()).toMatch(/^[\da-f]{64}$/)
  })

  it("opens no session of another purpose or name", async () => {
    const { browser: visit } = await start(configOf())
    for (const salt of ["__Secure-authjs.session-token", "authjs.state", "authjs.pkce.code_verifier", "encodedState"]) {
      const browser = visit()
      browser.setCookie(NAME, await encode({ token: { name: "mallory" }, secret: TEST_SECRET, salt }))
      expect([salt, await read(browser)]).toEqual([salt, null])
    }
  })

  it("reads what Auth.js sealed with it, and Auth.js reads ours", async () => {
    const authjs = await import("@auth/core/jwt")
    const browser = (await start(configOf())).browser()
    browser.setCookie(NAME, await authjs.encode({ token: { name: "ada" }, secret: TEST_SECRET, salt: NAME }))
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    const ours = browser.cookie(NAME) ?? ""
    expect(await authjs.decode({ token: ours, secret: TEST_SECRET, salt: NAME })).toMatchObject({ name: "ada" })
  })
})

describeServers("an attempt at a provider", (start) => {
  let op: FaultyProvider
  beforeAll(async () => {
    op = await startFaultyProvider()
  })
  afterAll(() => op.close())

  it("SES-26: that began under the old secret ends under the new one", async () => {
    const origin = "http://app.test"
    const before = (await start(configOf({ providers: [op.oidc()], secret: OLD }), { origin })).browser()
    const page = await before.post(`/auth/signin/${op.oidc().id}`, { csrfToken: await before.csrf() })
    const back = await op.authorize(page.location)
    const after = (await start(configOf({ providers: [op.oidc()], secret: [TEST_SECRET, OLD] }), { origin })).browser()
    for (const cookie of before.jar.all()) after.jar.put(cookie)
    await after.get(back, { from: op.issuer })
    expect(await read(after)).toMatchObject({ user: { name: expect.any(String) } })
  })

  it("SES-35: is not begun by GET: no image and no link can", async () => {
    const log = recordingLogger()
    const app = await start(configOf({ providers: [op.oidc()], logger: log.logger }))
    op.requests.length = 0
    const browser = app.browser()
    const page = await browser.get(`/auth/signin/${op.oidc().id}`)
    expect([200, 405]).toContain(page.status)
    expect(page.location).toBe("")
    expect(op.requests).toEqual([])
    expect(names(browser).filter((name) => /state|pkce|nonce/.test(name))).toEqual([])
  })
})

describe("SES-28: a secret that is missing or weak", () => {
  const start = async (secret: AuthConfig["secret"], NODE_ENV: string) => {
    const { authMiddleware } = await import("../../lib/index.js")
    const { withEnv } = await import("../express/support/servers.js")
    const log = recordingLogger()
    const config = configOf({ logger: log.logger, trustHost: true, ...(secret !== undefined && { secret }) })
    if (secret === undefined) delete config.secret
    withEnv({ NODE_ENV, AUTH_SECRET: undefined }, () => authMiddleware(config))
    return log.records.map(({ code }) => code)
  }

  it.each([undefined, "", [], [""]])("%j is refused everywhere", async (secret) => {
    for (const env of ["production", "development", "test"])
      await expect(start(secret, env)).rejects.toThrow(/secret: is missing and AUTH_SECRET is not set/)
  })

  it.each(["secret", "x".repeat(31), ["x".repeat(32), "short"]])("%j is refused in production", async (secret) => {
    await expect(start(secret, "production")).rejects.toThrow(/secret: has \d+ characters, and 32 are the least/)
    expect(await start(secret, "development")).toContain("weak-secret")
  })

  it("of 32 characters is taken", async () => {
    expect(await start("x".repeat(32), "production")).toEqual([])
  })
})
