/**
 * The total size of the cookies. Proxies reject request headers above 8 kB by default, so a browser with larger cookies
 * would get an error on every page, including the sign-out.
 */

import { ConfigurationError } from "../../../lib/errors/errors.js"
import { authMiddleware } from "../../../lib/index.js"
import { encode } from "../../../lib/jwt.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { begin, named, param, sessionOf } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const NAME = "authjs.session-token"
const BUDGET = 7 * 1024
const ADA = { user: { name: "ada" } }

/** The Cookie header that the browser sends. */
const buildCookieHeader = (browser: Browser) =>
  browser
    .cookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")

/** A configuration that adds `state.size` characters to each session. */
function sizedConfig(more: Partial<AuthConfig> = {}) {
  const state = { size: 0 }
  const log = recordingLogger()
  const config = configOf({
    logger: log.logger,
    callbacks: { jwt: ({ token }) => ({ ...token, filler: "x".repeat(state.size) }) },
    ...more,
  })
  return { state, log, config }
}

describeServers("cookies of a large session", (start, stage) => {
  it.each([
    ["short", "/cart"],
    ["long", `/${"long/".repeat(190)}`],
  ])("SES-14: take at most 7 kB of the request headers, with a %s return URL", async (_, callbackUrl) => {
    const { state, log, config } = sizedConfig()
    const { browser: newBrowser, origin } = await start(config)
    const outcomes = new Set<string>()
    for (state.size = 3_000; state.size < 6_000; state.size += 100) {
      const browser = newBrowser()
      const { location } = await signIn(browser, "/auth", { callbackUrl })
      const header = buildCookieHeader(browser)
      if (header.includes(NAME)) {
        expect(header.length).toBeLessThanOrEqual(BUDGET)
        expect(await sessionOf(browser)).toMatchObject(ADA)
        outcomes.add("signed in")
        continue
      }
      expect(location).toBe(`${origin}/auth/error?error=Configuration`)
      outcomes.add("refused")
    }
    expect([...outcomes]).toEqual(["signed in", "refused"])
    const [{ error } = {}] = log.records
    const { err }: { err?: Error } = Object(error?.cause)
    expect(err?.message).toMatch(
      /^the cookies of the session, the CSRF token and the return URL would take \d{4} bytes of each request, but session\.maxCookieSize is 7168/,
    )
  })

  it("can be larger, up to session.maxCookieSize", async () => {
    const { state, config } = sizedConfig({ session: { maxCookieSize: 13_000 } })
    const { browser: newBrowser } = await start(config)
    const browser = newBrowser()
    state.size = 8_500
    await signIn(browser)
    expect(buildCookieHeader(browser).length).toBeGreaterThan(11_808)
    expect(await sessionOf(browser)).toMatchObject(ADA)
    state.size = 13_000
    expect(param((await signIn(newBrowser())).location, "error")).toBe("Configuration")
  })

  it("from @auth/express stay readable above the limit and are renewed", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    const claims = { name: "ada", sub: "7", filler: "x".repeat(9_000) }
    const value = await encode({ token: claims, secret: TEST_SECRET, salt: NAME })
    const chunks = value.match(/.{1,3936}/g) ?? []
    expect(chunks).toHaveLength(4)
    for (const [i, chunk] of chunks.entries()) browser.setCookie(`${NAME}.${i}`, chunk)
    const before = buildCookieHeader(browser)
    expect(await (await browser.get("/auth/session")).json()).toMatchObject(ADA)
    expect(buildCookieHeader(browser) === before).toBe(false)
    expect(buildCookieHeader(browser).length).toBeLessThan(before.length + 300)
    expect(await sessionOf(browser)).toMatchObject(ADA)
  })

  it("displace the cookies of older pending sign-ins", async () => {
    const { state, config } = sizedConfig({
      providers: [...configOf().providers, op.oidc(), named(op.oidc(), "other")],
    })
    const { browser: newBrowser } = await start(config)
    const browser = newBrowser()
    state.size = 4_700
    await signIn(browser)
    const before = buildCookieHeader(browser).length
    expect(before).toBeGreaterThan(6_000)
    for (let i = 0; i < 4; i++) await begin(browser, { id: i % 2 ? "oidc" : "other" })
    // One sign-in can always be started.
    expect(browser.cookies().flatMap(({ name }) => (name.includes("authjs.state") ? [name] : []))).toHaveLength(1)
    expect(buildCookieHeader(browser).length).toBeLessThan(8_000)
  })

  it("displace the cookie of a long return URL, which any link can set", async () => {
    const { state, config } = sizedConfig()
    const { browser: newBrowser, origin } = await start(config)
    const browser = newBrowser()
    state.size = 4_700
    await signIn(browser)
    const page = await browser.get(`/auth/signin?callbackUrl=/${"%C3%BC".repeat(160)}`)
    expect(buildCookieHeader(browser).length).toBeLessThanOrEqual(BUDGET)
    expect(await page.text()).toContain(`href="${origin}/%C3%BC`)
    expect(await sessionOf(browser)).toMatchObject(ADA)
  })

  it("keep their expiry if the renewed session is too large", async () => {
    const time = { now: Date.now() }
    const { state, config } = sizedConfig({ clock: () => time.now })
    const { browser: newBrowser } = await start(config)
    const browser = newBrowser()
    await signIn(browser)
    const first = await (await browser.get("/auth/session")).json()
    time.now += 60_000
    state.size = 20_000
    const page = await browser.get("/auth/session")
    expect(page.headers.getSetCookie().filter((cookie) => cookie.startsWith(NAME))).toEqual([])
    expect(Date.parse((await page.json()).expires)).toBeLessThanOrEqual(Date.parse(first.expires))
  })

  if (stage !== "Auth()") return

  it("SES-01: stay below 4096 bytes each, including a long Domain and Path", async () => {
    const domain = `${"a-label-of-a-domain.".repeat(11)}app.test`
    const path = `/${"folder/".repeat(20)}`
    const { state, config } = sizedConfig({ cookies: { sessionToken: { options: { domain, path } } } })
    const { browser: newBrowser } = await start(config)
    for (state.size = 2_400; state.size < 3_000; state.size += 50) {
      const browser = newBrowser()
      const cookies = (await signIn(browser)).headers.getSetCookie().filter((cookie) => cookie.startsWith(NAME))
      expect(cookies.length).toBeGreaterThan(0)
      for (const cookie of cookies) expect(cookie.length).toBeLessThanOrEqual(4_096)
    }
  })
})

describeServer("session.maxCookieSize", "Auth()", (start) => {
  it.each([
    [9_000, true],
    [20_000, false],
  ])(
    "is suggested in the error for %i characters: %p, because a value above 16384 is invalid",
    async (size, isSuggested) => {
      const { state, log, config } = sizedConfig()
      const { browser: newBrowser } = await start(config)
      state.size = size
      await signIn(newBrowser())
      const { err }: { err?: Error } = Object(log.records[0]?.error?.cause)
      expect(err?.message).toMatch(/would take \d+ bytes of each request/)
      expect(err?.message.includes("write { session: { maxCookieSize: ")).toBe(isSuggested)
    },
  )

  it.each([0, 1_000, 16_385, 7_168.5, "7168"])("%p is rejected at start-up", (maxCookieSize) => {
    const config = configOf({ session: { maxCookieSize: maxCookieSize as number } })
    expect(() => authMiddleware(config)).toThrow(ConfigurationError)
    expect(() => authMiddleware(config)).toThrow(/session\.maxCookieSize: is/)
  })
})
