import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const names = (browser: Browser) => browser.cookies().map(({ name }) => name)

describeServers("cookies", (start, stage) => {
  it("SES-01: have all security attributes over https and stay below 4096 bytes", async () => {
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

  it("SES-10: look-alike names from a sibling host do not affect the session", async () => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start(configOf({ logger: log.logger }))
    const browser = newBrowser()
    await signIn(browser)
    const planted = [`${NAME}.9`, `${NAME}X`, `${NAME}.`, `${NAME}.x`, `${NAME}.0x`, `${NAME}.1`, `${NAME}-old`]
    for (const name of planted) browser.setCookie(name, "junk")
    for (const path of ["/auth/session", "/me"])
      expect(await read(browser, path)).toMatchObject({ user: { name: "ada" } })
    expect(names(browser)).toEqual(expect.arrayContaining([`${NAME}X`, `${NAME}.x`, `${NAME}-old`, NAME]))
  })

  it("SES-10: a set of chunks from a sibling host does not sign the user out", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    browser.setCookie(`${NAME}.0`, "junk")
    browser.setCookie(`${NAME}.1`, "junk")
    expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
  })

  it.each(["notaurl", "%", "javascript:1", "data:text/html,x", "http://", "\\\\evil.test", "%00"])(
    "SES-12: a callback-url cookie of %s has no effect and is replaced",
    async (value) => {
      const { browser: newBrowser, origin } = await start(configOf())
      for (const path of ["/auth/session", "/me", "/auth/signin", "/auth/csrf", "/auth/providers"]) {
        const browser = newBrowser()
        browser.setCookie("authjs.callback-url", value)
        expect([path, (await browser.get(path)).status]).toEqual([path, 200])
      }
      for (const path of ["/auth/session", "/auth/providers", "/auth/csrf"]) {
        const browser = newBrowser()
        browser.setCookie("authjs.callback-url", value)
        await browser.get(path)
        expect([path, browser.cookie("authjs.callback-url")]).not.toEqual([path, value])
      }
      const browser = newBrowser()
      browser.setCookie("authjs.callback-url", value)
      expect((await signIn(browser)).location).toBe(`${origin}/`)
      expect(decodeURIComponent(browser.cookie("authjs.callback-url") ?? "")).toBe(origin)
    },
  )

  it("SES-14: a session that is too large is not written in part, and the error is logged", async () => {
    let size = 20_000
    const log = recordingLogger()
    const config = configOf({
      logger: log.logger,
      callbacks: { jwt: ({ token }) => ({ ...token, filler: "x".repeat(size) }) },
    })
    const { browser: newBrowser, origin } = await start(config)
    const refused = newBrowser()
    const page = await signIn(refused)
    expect(page.location).toBe(`${origin}/auth/error?error=Configuration`)
    expect(names(refused).filter((name) => name.startsWith(NAME))).toEqual([])
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "JWTSessionError" }])

    size = 4_000
    const browser = newBrowser()
    const sent = (await signIn(browser)).headers.getSetCookie().filter((cookie) => cookie.startsWith(NAME))
    expect(sent.map((cookie) => cookie.split("=")[0])).toEqual([`${NAME}.0`, `${NAME}.1`])
    expect(sent.every((cookie) => cookie.length <= 4096)).toBe(true)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })

    size = 10
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    expect(names(browser).filter((name) => name.startsWith(NAME))).toEqual([NAME])
    size = 4_000
    await read(browser)
    expect(names(browser).filter((name) => name.startsWith(NAME))).toEqual([`${NAME}.0`, `${NAME}.1`])
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect(names(browser).filter((name) => name.startsWith(NAME))).toEqual([])
  })

  it("SES-15: too many cookies from a client cause no server error", async () => {
    const { browser: newBrowser } = await start(configOf())
    const headers = { cookie: `junk=${"x".repeat(14_000)}; ${NAME}.0=a; ${NAME}.1=b` }
    const page = await newBrowser().get("/auth/session", { headers })
    expect([page.status, await page.json()]).toEqual([200, null])
    if (stage === "Auth()") return
    const tooMuch = await newBrowser().get("/auth/session", { headers: { cookie: `junk=${"x".repeat(20_000)}` } })
    expect(tooMuch.status).toBe(431)
    expect((await newBrowser().get("/me")).status).toBe(200)
  })

  it("SES-17: responses that contain or set tokens are not cacheable", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
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

  it("SES-18: the session is not readable from other origins", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    const headers = { origin: "https://evil.test", "access-control-request-method": "GET" }
    const plain = await browser.get("/auth/session", { headers })
    const preflight = await browser.request("/auth/session", { method: "OPTIONS", headers })
    for (const page of [plain, preflight])
      expect([...page.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([])
    expect(preflight.status).toBe(405)
  })
})
