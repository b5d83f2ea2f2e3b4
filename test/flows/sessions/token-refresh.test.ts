/**
 * Access tokens that the `jwt` callback refreshes, at a provider with single-use refresh tokens. Such a provider treats
 * a reused refresh token as stolen and revokes all tokens (RFC 9700 §4.14.2).
 */
import { setImmediate } from "node:timers/promises"
import { getSession } from "../../../lib/index.js"
import { decode, encode } from "../../../lib/jwt.js"
import type { JWT } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const MINUTE = 60 * 1000
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

/** Signs in a user with an expired access token, and records what the provider received. */
async function startSignedIn(start: Start) {
  const provider = { current: "refresh 0", refreshes: 0, isRevoked: false }
  const time = { now: Date.parse("2030-01-01T00:00:00Z") }
  const refresh = (token: JWT): JWT => {
    if (token["refresh"] !== provider.current) provider.isRevoked = true
    provider.refreshes++
    provider.current = `refresh ${provider.refreshes}`
    return { ...token, refresh: provider.current, access: `access ${provider.refreshes}` }
  }
  const state = { isRevoked: false }
  const config = configOf({
    clock: () => time.now,
    callbacks: {
      jwt: async ({ token, user }) => {
        if (user) return { ...token, refresh: "refresh 0", access: "expired" }
        if (state.isRevoked) return null
        return token["access"] === "expired" ? refresh(token) : token
      },
      session: ({ session, token }) => ({ ...session, access: token["access"] }),
    },
  })
  const { browser: newBrowser } = await start(config)
  const browser = newBrowser()
  await signIn(browser)
  return { newBrowser, browser, provider, state, time }
}

describeServers("refreshed access token", (start) => {
  it("ADV-25: is returned to requests that still have the old cookie, for a minute", async () => {
    const { browser, provider, time } = await startSignedIn(start)
    const lateTabs = [browser.clone(), browser.clone()]
    expect(await read(browser)).toMatchObject({ access: "access 1" })
    time.now += MINUTE - 1
    for (const tab of lateTabs)
      for (const path of ["/me", "/auth/session", "/me"])
        expect(await read(tab, path)).toMatchObject({ access: "access 1" })
    expect(provider).toEqual({ current: "refresh 1", refreshes: 1, isRevoked: false })
  })

  it("ADV-25: is set as a cookie in each of the responses, since the first may have been lost", async () => {
    const { browser, provider, time } = await startSignedIn(start)
    const lateTab = browser.clone()
    await read(browser)
    await read(lateTab)
    expect(lateTab.cookie(NAME)).toBeDefined()
    time.now += 2 * MINUTE
    expect([await read(browser), await read(lateTab)]).toMatchObject([{ access: "access 1" }, { access: "access 1" }])
    expect(provider.refreshes).toBe(1)
  })

  it("does not prevent the jwt callback from ending the session", async () => {
    const { browser, state } = await startSignedIn(start)
    const lateTab = browser.clone()
    await read(browser)
    state.isRevoked = true
    expect([await read(lateTab), lateTab.cookie(NAME)]).toEqual([null, undefined])
  })

  it("does not extend the absolute timeout", async () => {
    const startedAt = Date.parse("2030-01-01T00:00:00Z")
    const time = { now: startedAt }
    const config = configOf({
      clock: () => time.now,
      session: { absoluteMaxAge: 3600 },
      // The callback drops the claims of the library.
      callbacks: {
        jwt: async ({ token, user }) => (user ? token : { name: token.name, reads: Number(token["reads"] ?? 0) + 1 }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const lateTab = browser.clone()
    time.now += MINUTE / 2
    await read(browser)
    await read(lateTab)
    const claims = await decode({ token: lateTab.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })
    expect(claims).toMatchObject({ reads: 2, session_start: startedAt / 1000, exp: startedAt / 1000 + 3600 })
    time.now = startedAt + 60 * MINUTE + 20_000
    expect(await read(lateTab)).toBeNull()
  })

  it("is not shared between sessions", async () => {
    const { newBrowser, browser, provider } = await startSignedIn(start)
    const other = newBrowser()
    await signIn(other)
    await read(browser)
    expect(await read(other)).toMatchObject({ access: "access 2" })
    expect(provider.refreshes).toBe(2)
  })
})

describeServers("session update that fails", (start) => {
  const update = async (browser: Browser, data: unknown) =>
    (await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data })).status

  /** Signs in a user whose session takes all posted data and shows the length of its note. */
  async function signedInWith(show: (note: string) => number) {
    const time = { now: Date.parse("2030-01-01T00:00:00Z") }
    const log = recordingLogger()
    const config = configOf({
      clock: () => time.now,
      logger: log.logger,
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, ...session } : token),
        session: ({ session, token }) => ({ ...session, length: show(String(token["note"] ?? "")) }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    return { browser, time, log }
  }

  it("keeps the old session if the new one is too large, and renews it", async () => {
    const { browser, time, log } = await signedInWith((note) => note.length)
    expect(await update(browser, { note: "x".repeat(20_000) })).toBe(200)
    const recordCount = log.records.length
    const before = browser.cookie(NAME)
    for (let reads = 0; reads < 3; reads++) {
      time.now += MINUTE / 2
      expect(await read(browser)).toMatchObject({ length: 0 })
    }
    expect(browser.cookie(NAME)).not.toBe(before)
    expect(log.records).toHaveLength(recordCount)
  })

  it("keeps the old session if the session callback throws for the new one", async () => {
    const { browser, time } = await signedInWith((note) => {
      if (note !== "") throw new Error("no such note")
      return 0
    })
    expect(await update(browser, { note: "odd" })).toBe(500)
    for (let reads = 0; reads < 3; reads++) {
      time.now += MINUTE / 2
      expect(await read(browser)).toMatchObject({ length: 0 })
    }
  })
})

describeServers("custom tokens that do not change", (start) => {
  it("are decoded at each read, since another process may have changed their data", async () => {
    const kept = new Map<string, JWT>()
    const config = configOf({
      jwt: {
        encode: ({ token = {} }) => {
          kept.set("ada", token)
          return "ada"
        },
        decode: ({ token = "" }) => ({ ...kept.get(token) }),
      },
      callbacks: {
        jwt: ({ token, user }) => (user ? token : { ...token, reads: Number(token["reads"] ?? 0) + 1 }),
        session: ({ session, token }) => ({ ...session, reads: token["reads"] }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    expect(await read(browser)).toMatchObject({ reads: 1 })
    kept.set("ada", { ...kept.get("ada"), reads: 40 })
    expect(await read(browser)).toMatchObject({ reads: 41 })
  })
})

describeServers("session update", (start) => {
  it("is not undone by a pending read that changes nothing", async () => {
    const releases: (() => void)[] = []
    const control = { isSlow: false }
    const config = configOf({
      callbacks: {
        jwt: async ({ token, trigger, session }) => {
          if (trigger === "update") return { ...token, theme: session.theme }
          if (control.isSlow) await new Promise<void>((resolve) => releases.push(resolve))
          return token
        },
        session: ({ session, token }) => ({ ...session, theme: token["theme"] }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const [slow, lateTab] = [browser.clone(), browser.clone()]
    control.isSlow = true
    const reading = read(slow)
    while (releases.length === 0) await setImmediate()
    control.isSlow = false
    await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data: { theme: "dark" } })
    for (const release of releases) release()
    await reading
    expect(await read(lateTab)).toMatchObject({ theme: "dark" })
  })

  it.each(["jwt", "session"])("is not undone by a response that callbacks.%s delayed", async (name) => {
    const releases: (() => void)[] = []
    const control = { isSlow: false }
    const hold = async (callback: string) => {
      if (control.isSlow && callback === name) await new Promise<void>((resolve) => releases.push(resolve))
    }
    const time = { now: Date.now() }
    const config = configOf({
      clock: () => time.now,
      callbacks: {
        jwt: async ({ token, trigger, session }) => {
          if (trigger === "update") return { ...token, theme: session.theme }
          await hold("jwt")
          return token
        },
        session: async ({ session, token }) => {
          await hold("session")
          return { ...session, theme: token["theme"] }
        },
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const csrfToken = await browser.csrf()
    // Both reads renew the session: /session always does, and for /me it is due.
    time.now += 25 * 60 * MINUTE
    control.isSlow = true
    const reading = Promise.all([read(browser), read(browser, "/me")])
    while (releases.length < (name === "jwt" ? 1 : 2)) await setImmediate()
    control.isSlow = false
    await browser.postJson("/auth/session", { csrfToken, data: { theme: "dark" } })
    for (const release of releases) release()
    await reading
    expect(await read(browser)).toMatchObject({ theme: "dark" })
  })

  it("is replaced by a later update with the same old cookie", async () => {
    const config = configOf({
      callbacks: {
        jwt: ({ token, trigger, session }) => ({ theme: "light", ...token, ...(trigger === "update" && session) }),
        session: ({ session, token }) => ({ ...session, theme: token["theme"] }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const [second, lateTab] = [browser.clone(), browser.clone()]
    for (const [tab, theme] of [
      [browser, "dark"],
      [second, "light"],
    ] as const)
      await tab.postJson("/auth/session", { csrfToken: await tab.csrf(), data: { theme } })
    expect(await read(lateTab)).toMatchObject({ theme: "light" })
  })
})

describe("token that is being refreshed", () => {
  /** Counts the refreshes if a second request starts this many microtasks after the refresh. */
  async function countRefreshes(turns: number): Promise<number> {
    const releases: (() => void)[] = []
    const config = configOf({
      callbacks: {
        jwt: async ({ token }) => {
          if (token["access"] !== "expired") return token
          await new Promise<void>((resolve) => releases.push(resolve))
          return { ...token, access: "fresh" }
        },
      },
    })
    const cookie = await encode({ token: { sub: "7", access: "expired" }, secret: TEST_SECRET, salt: NAME })
    const readSession = () =>
      getSession(new Request("http://localhost/", { headers: { cookie: `${NAME}=${cookie}` } }), config)
    const first = readSession()
    await setImmediate()
    for (const release of releases) release()
    for (let turn = 0; turn < turns; turn++) await undefined
    const second = readSession()
    await setImmediate()
    for (const release of releases) release()
    await Promise.all([first, second])
    return releases.length
  }

  it("is refreshed once, whenever the second request starts", async () => {
    for (let turns = 0; turns < 20; turns++) expect([turns, await countRefreshes(turns)]).toEqual([turns, 1])
  })
})
