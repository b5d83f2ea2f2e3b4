/**
 * SES-05: the absolute timeout of a JWT session.
 *
 * @module
 */
import { decode, encode, getToken } from "../../../lib/jwt.js"
import type { AuthConfig, JWT, SessionOptions } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { at, BEGIN, DAY, HOUR, kept, NAME, QUARTER, read, useEvery } from "../support/lifetime.js"

guardProcess()

const readClaims = async (browser: Browser): Promise<JWT> =>
  (await decode({ token: browser.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })) ?? {}

describeServers("absolute timeout of a JWT session", (start, stage) => {
  // Outside the application, claims are compared with the real time.
  const real = Math.floor(Date.now() / 1000) * 1000

  async function startSignedIn(session: SessionOptions = QUARTER, over: Partial<AuthConfig> = {}, begin = BEGIN) {
    const time = { now: begin }
    const { logger, records } = recordingLogger()
    const config = configOf({ clock: () => time.now, session, logger, ...over })
    const app = await start(config)
    const browser = app.browser({ now: () => time.now })
    await signIn(browser)
    return { app, browser, time, records }
  }

  it.each(["/auth/session", "/me"])("SES-05: ends the session even if it is used, read at %s", async (path) => {
    const { browser, time, records } = await startSignedIn()
    expect(await useEvery(29 * DAY, 90 * DAY, { browser, time, path })).toEqual([29 * DAY, 58 * DAY, 87 * DAY])
    time.now = at(90 * DAY) - 1
    expect(await read(browser, path)).toEqual({ user: { name: "ada" }, expires: "2030-04-01T00:00:00.000Z" })
    const thief = browser.clone()
    thief.setCookie(NAME, browser.cookie(NAME) ?? "")
    time.now = at(90 * DAY)
    thief.setCookie(NAME, browser.cookie(NAME) ?? thief.cookie(NAME) ?? "")
    const page = await thief.get(path)
    expect([page.status, await page.json()]).toEqual([200, null])
    expect(thief.cookie(NAME)).toBeUndefined()
    expect(records.filter(({ level }) => level === "error")).toEqual([])
  })

  it("SES-05: can be shorter than the idle timeout", async () => {
    const { browser, time } = await startSignedIn({ absoluteMaxAge: 8 * HOUR })
    expect(kept(browser)).toBe(at(8 * HOUR))
    expect(await useEvery(HOUR, 8 * HOUR, { browser, time })).toHaveLength(7)
    const cookie = browser.cookie(NAME) ?? ""
    time.now = at(8 * HOUR)
    browser.setCookie(NAME, cookie)
    expect(await read(browser)).toBeNull()
  })

  it("SES-05: does not replace the idle timeout", async () => {
    const { browser, time } = await startSignedIn()
    time.now = at(30 * DAY + 16)
    expect(await read(browser)).toBeNull()
  })

  it("SES-05: restarts with a new sign-in", async () => {
    const { browser, time } = await startSignedIn({ absoluteMaxAge: 8 * HOUR })
    time.now = at(7 * HOUR)
    await signIn(browser)
    time.now = at(14 * HOUR)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    time.now = at(15 * HOUR)
    expect(await read(browser)).toBeNull()
  })

  it("SES-05: cannot be extended by the jwt callback or by posted data", async () => {
    const late = Math.floor(at(DAY) / 1000)
    const { browser, time } = await startSignedIn(
      { absoluteMaxAge: 8 * HOUR, updateAge: 0 },
      {
        callbacks: {
          jwt: ({ token, trigger, session }) => {
            // This application copies all posted data.
            if (trigger === "update") return { ...token, ...session }
            const { session_start: _, iat: __, ...others } = token
            return others
          },
        },
      },
    )
    const csrfToken = await browser.csrf()
    for (let hour = 1; hour < 8; hour++) {
      time.now = at(hour * HOUR)
      const data = { session_start: late, iat: late, exp: late, seen: hour }
      const page = await browser.postJson("/auth/session", { csrfToken, data })
      expect(await page.json()).toMatchObject({ expires: new Date(at(8 * HOUR)).toISOString() })
    }
    time.now = at(8 * HOUR)
    expect(await read(browser)).toBeNull()
  })

  it("SES-05: cannot be extended by a jwt callback that modifies the claims in place", async () => {
    const late = Math.floor(at(DAY) / 1000)
    const { browser, time } = await startSignedIn(
      { absoluteMaxAge: 8 * HOUR, updateAge: 0 },
      {
        callbacks: {
          jwt: ({ token, trigger, session }) => {
            if (trigger === "update") return Object.assign(token, session)
            delete token["session_start"]
            delete token.iat
            return token
          },
        },
      },
    )
    const csrfToken = await browser.csrf()
    for (let hour = 1; hour < 8; hour++) {
      time.now = at(hour * HOUR)
      expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
      const data = { session_start: late, iat: late, exp: late, seen: hour }
      const page = await browser.postJson("/auth/session", { csrfToken, data })
      expect(await page.json()).toMatchObject({ expires: new Date(at(8 * HOUR)).toISOString() })
    }
    time.now = at(8 * HOUR)
    expect(await read(browser)).toBeNull()
  })

  it("SES-05: is part of the claims, so that other readers of the cookie apply it too", async () => {
    const { browser, time } = await startSignedIn({ absoluteMaxAge: 8 * HOUR }, {}, real)
    const begin = real / 1000
    expect(await readClaims(browser)).toMatchObject({ session_start: begin, exp: begin + 8 * HOUR })
    time.now = real + 7 * HOUR * 1000
    await read(browser)
    expect(await readClaims(browser)).toMatchObject({ session_start: begin, exp: begin + 8 * HOUR })
  })

  const readToken = (browser: Browser) =>
    getToken({ req: { headers: { cookie: `${NAME}=${browser.cookie(NAME) ?? ""}` } }, secret: TEST_SECRET })

  it("SES-05: applies to getToken through the expiry of the token", async () => {
    const active = await startSignedIn({ absoluteMaxAge: 8 * HOUR }, {}, real - 8 * HOUR * 1000 + 60_000)
    active.time.now = real
    await read(active.browser)
    expect(await readToken(active.browser)).toMatchObject({ name: "ada", exp: real / 1000 + 60 })
    // The clock tolerance is 15 seconds.
    const expired = await startSignedIn({ absoluteMaxAge: 8 * HOUR }, {}, real - 8 * HOUR * 1000 - 15_000)
    expired.time.now += 7 * HOUR * 1000
    await read(expired.browser)
    expect(expired.browser.cookie(NAME)).toBeDefined()
    expect(await readToken(expired.browser)).toBeNull()
  })

  it("SES-05: getToken returns the start of the session", async () => {
    const { browser } = await startSignedIn(QUARTER, {}, real - 9 * HOUR * 1000)
    expect(await readToken(browser)).toMatchObject({ session_start: real / 1000 - 9 * HOUR })
  })

  it("SES-05: is not in the claims without the option", async () => {
    const { browser, time } = await startSignedIn({}, {}, real)
    expect(await readClaims(browser)).not.toHaveProperty("session_start")
    time.now += 2 * DAY * 1000
    await read(browser)
    expect(await readClaims(browser)).not.toHaveProperty("session_start")
  })

  it("SES-05: counts from the last renewal if the session is older than the option", async () => {
    const { app, time } = await startSignedIn({ absoluteMaxAge: 8 * HOUR }, {}, real)
    const browser = app.browser({ now: () => time.now })
    // As Auth.js encrypts it, without session_start.
    const token = { name: "ada", sub: "7" }
    browser.setCookie(NAME, await encode({ token, secret: TEST_SECRET, salt: NAME }))
    const session = await read(browser, "/me")
    expect(Date.parse(session.expires) - real).toBeLessThanOrEqual((8 * HOUR + 60) * 1000)
    expect(await readClaims(browser)).toMatchObject({ session_start: expect.any(Number) })
    time.now = real + 7 * HOUR * 1000
    expect(await read(browser)).not.toBeNull()
    time.now = real + (8 * HOUR + 60) * 1000
    expect(await read(browser)).toBeNull()
  })

  it("SES-05: a shorter timeout applies to existing sessions", async () => {
    const { browser } = await startSignedIn(QUARTER, {}, real)
    const cookie = browser.cookie(NAME) ?? ""
    const time = { now: real + 7 * HOUR * 1000 }
    const config = configOf({ clock: () => time.now, session: { absoluteMaxAge: 8 * HOUR } })
    const later = (await start(config)).browser({ now: () => time.now })
    later.setCookie(NAME, cookie)
    expect(Date.parse((await read(later, "/me")).expires)).toBe(real + 8 * HOUR * 1000)
    time.now = real + 8 * HOUR * 1000
    const thief = later.clone()
    for (const value of [cookie, later.cookie(NAME) ?? cookie]) {
      thief.setCookie(NAME, value)
      expect(await read(thief)).toBeNull()
    }
  })

  it("SES-05: applies with custom encode and decode functions", async () => {
    const jwt: NonNullable<AuthConfig["jwt"]> = {
      encode: ({ token }) => Buffer.from(JSON.stringify(token)).toString("base64url"),
      decode: ({ token }) => JSON.parse(Buffer.from(token ?? "", "base64url").toString()),
    }
    const { browser, time } = await startSignedIn({ absoluteMaxAge: 8 * HOUR }, { jwt })
    const cookie = browser.cookie(NAME) ?? ""
    expect(await useEvery(HOUR, 8 * HOUR, { browser, time })).toHaveLength(7)
    const renewed = browser.cookie(NAME) ?? ""
    time.now = at(8 * HOUR)
    const thief = browser.clone()
    for (const value of [cookie, renewed]) {
      thief.setCookie(NAME, value)
      expect(await read(thief)).toBeNull()
    }
  })

  it("SES-05: a later sign-out emits no event", async () => {
    const emitted: unknown[] = []
    const { browser, time } = await startSignedIn(
      { absoluteMaxAge: 8 * HOUR },
      { events: { signOut: (message) => void emitted.push(message) } },
    )
    const thief = browser.clone()
    const csrfToken = await thief.csrf()
    const cookie = browser.cookie(NAME) ?? ""
    time.now = at(8 * HOUR)
    thief.setCookie(NAME, cookie)
    const page = await thief.post("/auth/signout", { csrfToken })
    expect([page.status, emitted, thief.cookie(NAME)]).toEqual([302, [], undefined])
  })

  if (stage !== "Auth()")
    it("SES-05: sets no cookie before it is due", async () => {
      const { browser, time } = await startSignedIn({ absoluteMaxAge: 8 * HOUR })
      time.now = at(8 * HOUR) - 1000
      expect((await browser.get("/me")).headers.getSetCookie()).toEqual([])
    })
})
