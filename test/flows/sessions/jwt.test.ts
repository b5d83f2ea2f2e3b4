import { decode, encode } from "../../../lib/jwt.js"
import type { JWT } from "../../../lib/types.js"
import { configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const readClaims = async (browser: Browser): Promise<JWT> =>
  (await decode({ token: browser.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })) ?? {}
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("JWT session", (start) => {
  it("is null for a signed-out visitor, and not cacheable", async () => {
    const page = await (await start(configOf())).browser().get("/auth/session")
    expect([page.status, await page.json(), page.headers.getSetCookie()]).toEqual([200, null, []])
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "cache-control": "private, no-cache, no-store",
      expires: "0",
      pragma: "no-cache",
      "content-type": "application/json",
    })
  })

  it("is not affected by invalid cookies in other requests, of which at most ten per minute are logged", async () => {
    const { logger, records } = recordingLogger()
    const errors = () => records.filter(({ level }) => level === "error")
    let now = Date.parse("2030-01-01T00:00:00Z")
    const { browser: newBrowser } = await start(configOf({ logger, clock: () => now }))
    const ada = newBrowser()
    await signIn(ada)
    const token = ada.cookie(NAME) ?? ""
    const sendInvalid = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          newBrowser().get("/auth/session", { headers: { cookie: `${NAME}=${token.slice(0, -6)}${100_000 + i}` } }),
        ),
      )
    await sendInvalid(40)
    expect(errors()).toHaveLength(10)
    expect(await read(ada)).toMatchObject({ user: { name: "ada" } })
    now += 60_000
    await sendInvalid(1)
    expect(errors().at(-1)?.error?.message).toContain("; 30 more such requests were not logged")
  })

  it("exposes only name, email, image and expiry", async () => {
    const own = people()
    const user = { id: "7", name: "ada", email: "a@x.test", image: "/a.png", phone: "1" }
    const { browser: newBrowser } = await start(
      configOf({ providers: [{ ...own, options: { ...own.options, authorize: () => user } }] }),
    )
    const browser = newBrowser()
    await signIn(browser)
    expect(await read(browser)).toEqual({
      user: { name: "ada", email: "a@x.test", image: "/a.png" },
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    expect(await readClaims(browser)).toEqual({
      name: "ada",
      email: "a@x.test",
      picture: "/a.png",
      sub: "7",
      session_authentication: expect.stringMatching(/^~[\w-]{22} 7 credentials credentials pwd \d+$/),
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
    })
  })

  it("is renewed by each GET /session", async () => {
    const time = { now: Date.now() }
    const { browser: newBrowser } = await start(configOf({ clock: () => time.now }))
    const browser = newBrowser()
    await signIn(browser)
    const first = browser.cookie(NAME)
    time.now += 60_000
    const page = await browser.get("/auth/session")
    expect(browser.cookie(NAME)).not.toBe(first)
    expect(Date.parse((await page.json()).expires)).toBe(time.now + 30 * DAY)
    const { expiresAt = 0 } = browser.cookies().find(({ name }) => name === NAME) ?? {}
    expect(expiresAt - time.now).toBeGreaterThan(29 * DAY)
  })

  it("expires after maxAge", async () => {
    const { browser: newBrowser } = await start(configOf({ session: { maxAge: 3600 } }))
    const browser = newBrowser()
    await signIn(browser)
    const { iat = 0, exp = 0 } = await readClaims(browser)
    expect(exp - iat).toBe(3600)
  })

  it("SES-06: ends after maxAge without use", async () => {
    const time = { now: Date.now() }
    const { browser: newBrowser } = await start(configOf({ clock: () => time.now, session: { maxAge: 3600 } }))
    const browser = newBrowser({ now: () => time.now - 10 * DAY })
    await signIn(browser)
    const old = browser.cookie(NAME) ?? ""
    time.now += 3_600_000 - 1000
    expect(await read(browser)).not.toBeNull()
    const lateBrowser = newBrowser({ now: () => time.now - 10 * DAY })
    lateBrowser.setCookie(NAME, old)
    time.now += 17_000
    const page = await lateBrowser.get("/auth/session")
    expect([await page.json(), lateBrowser.cookie(NAME)]).toEqual([null, undefined])
  })

  it("is null for an invalid cookie, which is cleared and logged once", async () => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start(configOf({ logger: log.logger }))
    const salted = await encode({ token: { sub: "7" }, secret: TEST_SECRET, salt: "another" })
    for (const value of ["garbage", "a.b.c.d.e", "eyJhbGciOiJkaXIifQ..a.b.c", salted, `${salted}x`]) {
      const browser = newBrowser()
      browser.setCookie(NAME, value)
      log.records.length = 0
      const page = await browser.get("/auth/session")
      expect([page.status, await page.json(), browser.cookie(NAME)]).toEqual([200, null, undefined])
      expect(log.records).toMatchObject([{ code: "JWTSessionError" }])
      expect(log.text()).not.toContain(value)
    }
  })

  it("logs a new error object for each invalid cookie, since loggers may modify it", async () => {
    const errors: unknown[] = []
    const error = ({ cause }: Error) => errors.push(Object.assign(Object(cause).err, { isSeen: errors.length }))
    const { browser: newBrowser } = await start(configOf({ logger: { error } }))
    for (const value of ["garbage", "rubbish"]) {
      const browser = newBrowser()
      browser.setCookie(NAME, value)
      await browser.get("/auth/session")
    }
    expect(errors).toMatchObject([{ isSeen: 0 }, { isSeen: 1 }])
  })

  it("is not renewed by a HEAD request", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    const page = await browser.request("/auth/session", { method: "HEAD" })
    expect([page.status, await page.text(), page.headers.getSetCookie()]).toEqual([200, "", []])
  })
})
