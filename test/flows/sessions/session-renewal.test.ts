import { setTimeout as pause } from "node:timers/promises"
import { decode, encode, type JWTEncodeParams } from "../../../lib/jwt.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig, JWT, Store } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const readClaims = async (browser: Browser): Promise<JWT> =>
  (await decode({ token: browser.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })) ?? {}
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("renewal of a JWT session", (start, stage) => {
  /** Starts a site with a session that is due for renewal. `readSession` always sends the first cookie. */
  async function dueSession(config: Partial<AuthConfig> = {}) {
    const time = { now: Date.now() }
    const encoded: string[] = []
    const jwt = {
      encode: async (params: JWTEncodeParams) => {
        const value = await encode(params)
        encoded.push(value)
        return value
      },
      decode,
    }
    const options = { clock: () => time.now, jwt, session: { updateAge: 3_600 }, ...config }
    const { browser: newBrowser } = await start(configOf(options))
    const browser = newBrowser()
    await signIn(browser)
    const cookie = `${NAME}=${browser.cookie(NAME)}`
    const readSession = async () => (await newBrowser().get("/me", { headers: { cookie } })).headers.getSetCookie()
    const readConcurrently = async () => (await Promise.all(Array.from({ length: 20 }, readSession))).flat()
    time.now += 2 * 3_600_000
    encoded.length = 0
    return { time, encoded, readSession, readConcurrently }
  }
  // With `Auth()` alone, /me is /session, which always renews.
  const renewsAlways = stage === "Auth()"

  it("happens once for all requests that still carry the old cookie", async () => {
    const { time, encoded, readSession, readConcurrently } = await dueSession()
    const answers = [...(await readConcurrently()), ...(await readSession()), ...(await readConcurrently())]
    expect(answers).toHaveLength(41)
    expect([encoded.length, new Set(answers).size]).toEqual(renewsAlways ? [41, 41] : [1, 1])
    // After a minute, the old cookie is renewed again.
    time.now += 60_000
    await readConcurrently()
    expect(encoded).toHaveLength(renewsAlways ? 61 : 2)
  })

  it("happens once for requests that wait for the store at the same time, or that arrive during jwt.encode", async () => {
    const memory = MemoryStore()
    const store: Store = {
      ...memory,
      async get(kind, key) {
        await pause(50)
        return memory.get(kind, key)
      },
    }
    const slow = async (params: JWTEncodeParams) => {
      await pause(50)
      return encode(params)
    }
    for (const config of [{ store, jwt: {} }, { jwt: { encode: slow, decode } }]) {
      const { readConcurrently } = await dueSession(config)
      expect(new Set(await readConcurrently()).size).toBe(renewsAlways ? 20 : 1)
    }
  })

  it("never sets a cookie that has expired", async () => {
    const { time, readSession } = await dueSession({ session: { updateAge: 20, maxAge: 30 } })
    for (let i = 0; i < 10; i++) {
      const [renewed = ""] = await readSession()
      expect(Date.parse(/Expires=([^;]+)/.exec(renewed)?.[1] ?? "")).toBeGreaterThan(time.now)
      time.now += 7_000
    }
  })

  it("happens when the session is older than updateAge, and not before", async () => {
    const time = { now: Date.now() }
    const { browser: newBrowser } = await start(configOf({ clock: () => time.now }))
    const browser = newBrowser()
    await signIn(browser)
    const first = browser.cookie(NAME)
    time.now += DAY - 60_000
    const young = await browser.get("/me")
    // With `Auth()` alone, /me is /session, which always renews.
    if (stage !== "Auth()") {
      expect([young.headers.getSetCookie(), browser.cookie(NAME)]).toEqual([[], first])
      expect(Date.parse((await young.json()).expires)).toBeLessThan(time.now + 29.5 * DAY)
    }
    time.now += 120_000
    const old = await browser.get("/me")
    expect(browser.cookie(NAME)).not.toBe(first)
    expect(Date.parse((await old.json()).expires)).toBe(time.now + 30 * DAY)
    expect((await readClaims(browser)).iat).toBe(Math.floor(time.now / 1000))
  })

  it.each<[string, Partial<AuthConfig>]>([
    ["session.maxAge", { session: { maxAge: 3_600 } }],
    ["jwt.maxAge", { jwt: { maxAge: 3_600 } }],
  ])("keeps a session alive beyond a %s of one hour while it is used", async (_, config) => {
    const time = { now: Date.now() }
    const { browser: newBrowser } = await start(configOf({ clock: () => time.now, ...config }))
    const browser = newBrowser()
    await signIn(browser)
    for (let i = 0; i < 12; i++) {
      time.now += 600_000
      expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
    }
  })
})
