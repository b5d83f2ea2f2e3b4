/**
 * Access tokens that the `jwt` callback refreshes, at a provider that takes each refresh token once: somebody who brings
 * one again has stolen it, and all that was given is withdrawn (RFC 9700 §4.14.2).
 */
import { setImmediate } from "node:timers/promises"
import { getSession } from "../../lib/index.js"
import { decode, encode } from "../../lib/jwt.js"
import type { JWT } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const MINUTE = 60 * 1000
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

/** Somebody whose access token has come to its end, and what the provider saw. */
async function signedIn(start: Start) {
  const provider = { good: "refresh 0", refreshes: 0, isWithdrawn: false }
  const time = { now: Date.parse("2030-01-01T00:00:00Z") }
  const refresh = (token: JWT): JWT => {
    if (token["refresh"] !== provider.good) provider.isWithdrawn = true
    provider.refreshes++
    provider.good = `refresh ${provider.refreshes}`
    return { ...token, refresh: provider.good, access: `access ${provider.refreshes}` }
  }
  const state = { isRevoked: false }
  const config = configOf({
    clock: () => time.now,
    callbacks: {
      jwt: async ({ token, user }) => {
        if (user) return { ...token, refresh: "refresh 0", access: "ended" }
        if (state.isRevoked) return null
        return token["access"] === "ended" ? refresh(token) : token
      },
      session: ({ session, token }) => ({ ...session, access: token["access"] }),
    },
  })
  const { browser: visit } = await start(config)
  const browser = visit()
  await signIn(browser)
  return { visit, browser, provider, state, time }
}

describeServers("a refreshed token", (start) => {
  it("ADV-25: is given to a request that was on its way with the old cookie", async () => {
    const { browser, provider, time } = await signedIn(start)
    const late = [browser.clone(), browser.clone()]
    expect(await read(browser)).toMatchObject({ access: "access 1" })
    time.now += MINUTE - 1
    for (const tab of late)
      for (const path of ["/me", "/auth/session", "/me"])
        expect(await read(tab, path)).toMatchObject({ access: "access 1" })
    expect(provider).toEqual({ good: "refresh 1", refreshes: 1, isWithdrawn: false })
  })

  it("ADV-25: comes with a cookie for each of them, since the first may have been lost", async () => {
    const { browser, provider, time } = await signedIn(start)
    const late = browser.clone()
    await read(browser)
    await read(late)
    expect(late.cookie(NAME)).toBeDefined()
    time.now += 2 * MINUTE
    expect([await read(browser), await read(late)]).toMatchObject([{ access: "access 1" }, { access: "access 1" }])
    expect(provider.refreshes).toBe(1)
  })

  it("is not kept from a callback that ends the session meanwhile", async () => {
    const { browser, state } = await signedIn(start)
    const late = browser.clone()
    await read(browser)
    state.isRevoked = true
    expect([await read(late), late.cookie(NAME)]).toEqual([null, undefined])
  })

  it("puts no end off that was set for the session", async () => {
    const began = Date.parse("2030-01-01T00:00:00Z")
    const time = { now: began }
    const config = configOf({
      clock: () => time.now,
      session: { absoluteMaxAge: 3600 },
      // It keeps nothing of what the library put there.
      callbacks: {
        jwt: async ({ token, user }) => (user ? token : { name: token.name, reads: Number(token["reads"] ?? 0) + 1 }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const late = browser.clone()
    time.now += MINUTE / 2
    await read(browser)
    await read(late)
    const claims = await decode({ token: late.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })
    expect(claims).toMatchObject({ reads: 2, session_start: began / 1000, exp: began / 1000 + 3600 })
    time.now = began + 60 * MINUTE + 20_000
    expect(await read(late)).toBeNull()
  })

  it("is somebody's own", async () => {
    const { visit, browser, provider } = await signedIn(start)
    const other = visit()
    await signIn(other)
    await read(browser)
    expect(await read(other)).toMatchObject({ access: "access 2" })
    expect(provider.refreshes).toBe(2)
  })
})

describeServers("a session that an update can't go on with", (start) => {
  const update = async (browser: Browser, data: unknown) =>
    (await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data })).status

  /** Somebody whose session takes whatever is posted, and shows how long the note is. */
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

  it("goes on as it was where it has grown too large, and is renewed", async () => {
    const { browser, time, log } = await signedInWith((note) => note.length)
    expect(await update(browser, { note: "x".repeat(20_000) })).toBe(200)
    const told = log.records.length
    const before = browser.cookie(NAME)
    for (let visit = 0; visit < 3; visit++) {
      time.now += MINUTE / 2
      expect(await read(browser)).toMatchObject({ length: 0 })
    }
    expect(browser.cookie(NAME)).not.toBe(before)
    expect(log.records).toHaveLength(told)
  })

  it("goes on as it was where the session callback can't show it", async () => {
    const { browser, time } = await signedInWith((note) => {
      if (note !== "") throw new Error("no such note")
      return 0
    })
    expect(await update(browser, { note: "odd" })).toBe(500)
    for (let visit = 0; visit < 3; visit++) {
      time.now += MINUTE / 2
      expect(await read(browser)).toMatchObject({ length: 0 })
    }
  })
})

describeServers("tokens of the application's own that stay the same", (start) => {
  it("are read anew, since another process may have changed what they stand for", async () => {
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

describeServers("an update", (start) => {
  it("stays though a read that was under way has changed nothing", async () => {
    const held: (() => void)[] = []
    const asked = { isSlow: false }
    const config = configOf({
      callbacks: {
        jwt: async ({ token, trigger, session }) => {
          if (trigger === "update") return { ...token, theme: session.theme }
          if (asked.isSlow) await new Promise<void>((resolve) => held.push(resolve))
          return token
        },
        session: ({ session, token }) => ({ ...session, theme: token["theme"] }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const [slow, late] = [browser.clone(), browser.clone()]
    asked.isSlow = true
    const reading = read(slow)
    while (held.length === 0) await setImmediate()
    asked.isSlow = false
    await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data: { theme: "dark" } })
    for (const answer of held) answer()
    await reading
    expect(await read(late)).toMatchObject({ theme: "dark" })
  })

  it.each(["jwt", "session"])("is not undone by an answer that callbacks.%s held up meanwhile", async (name) => {
    const held: (() => void)[] = []
    const asked = { isSlow: false }
    const hold = async (callback: string) => {
      if (asked.isSlow && callback === name) await new Promise<void>((resolve) => held.push(resolve))
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
    // Both are renewed then: one always, and one that is due.
    time.now += 25 * 60 * MINUTE
    asked.isSlow = true
    const reading = Promise.all([read(browser), read(browser, "/me")])
    while (held.length < (name === "jwt" ? 1 : 2)) await setImmediate()
    asked.isSlow = false
    await browser.postJson("/auth/session", { csrfToken, data: { theme: "dark" } })
    for (const answer of held) answer()
    await reading
    expect(await read(browser)).toMatchObject({ theme: "dark" })
  })

  it("is taken back by another with the same cookie", async () => {
    const config = configOf({
      callbacks: {
        jwt: ({ token, trigger, session }) => ({ theme: "light", ...token, ...(trigger === "update" && session) }),
        session: ({ session, token }) => ({ ...session, theme: token["theme"] }),
      },
    })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const [second, late] = [browser.clone(), browser.clone()]
    for (const [tab, theme] of [
      [browser, "dark"],
      [second, "light"],
    ] as const)
      await tab.postJson("/auth/session", { csrfToken: await tab.csrf(), data: { theme } })
    expect(await read(late)).toMatchObject({ theme: "light" })
  })
})

describe("a token that is being refreshed", () => {
  /** How often it is refreshed when a second request comes so many turns of the microtask queue after the answer. */
  async function refreshesAt(turns: number): Promise<number> {
    const held: (() => void)[] = []
    const config = configOf({
      callbacks: {
        jwt: async ({ token }) => {
          if (token["access"] !== "ended") return token
          await new Promise<void>((resolve) => held.push(resolve))
          return { ...token, access: "good" }
        },
      },
    })
    const cookie = await encode({ token: { sub: "7", access: "ended" }, secret: TEST_SECRET, salt: NAME })
    const ask = () => getSession(new Request("http://localhost/", { headers: { cookie: `${NAME}=${cookie}` } }), config)
    const first = ask()
    await setImmediate()
    for (const answer of held) answer()
    for (let turn = 0; turn < turns; turn++) await undefined
    const second = ask()
    await setImmediate()
    for (const answer of held) answer()
    await Promise.all([first, second])
    return held.length
  }

  it("is refreshed once, at whichever moment the next request comes", async () => {
    for (let turns = 0; turns < 20; turns++) expect([turns, await refreshesAt(turns)]).toEqual([turns, 1])
  })
})
