import type { AuthConfig, SessionOptions } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { at, BEGIN, DAY, HOUR, kept, NAME, QUARTER, read, useEvery } from "../support/lifetime.js"
import { memoryStore } from "../support/memory-adapter.js"

guardProcess()

/** The absolute timeout on every kind of store. */
describeStores("SES-05: absolute timeout of a database session", (store) => {
  describeServer("in a store", "Express 5", (start) => {
    let opened: OpenStore
    beforeEach(async () => {
      opened = await store.create({ now: () => time.now })
    })
    afterEach(() => opened.close())
    const time = { now: BEGIN }

    async function startSignedIn(session: SessionOptions = QUARTER) {
      time.now = BEGIN
      const { adapter } = opened
      const user = await adapter.createUser({ id: "", name: "ada", email: "a@x.test", emailVerified: null })
      const config = { adapter, clock: () => time.now, session: { strategy: "database" as const, ...session } }
      const browser = await startBrowser(config, user.id)
      await signIn(browser)
      return { browser, user }
    }

    /** Starts a site whose credentials sign in this user, and returns a browser. */
    async function startBrowser(config: Partial<AuthConfig>, id: string): Promise<Browser> {
      const { default: Credentials } = await import("../../../lib/providers/credentials.js")
      const provider = Credentials({ authorize: () => ({ id, name: "ada", email: "a@x.test" }) })
      return (await start(configOf({ providers: [provider], ...config }))).browser({ now: () => time.now })
    }

    it("SES-05: ends the session even if it is used", async () => {
      const { browser } = await startSignedIn()
      expect(await useEvery(29 * DAY, 90 * DAY, { browser, time })).toEqual([29 * DAY, 58 * DAY, 87 * DAY])
      time.now = at(90 * DAY) - 1000
      expect(await read(browser)).toMatchObject({ user: { name: "ada" }, expires: "2030-04-01T00:00:00.000Z" })
      const cookie = browser.cookie(NAME) ?? ""
      time.now = at(90 * DAY) + 1000
      browser.setCookie(NAME, cookie)
      expect([await read(browser), browser.cookie(NAME)]).toEqual([null, undefined])
      expect((await opened.counts()).sessions).toBe(0)
    })

    it("SES-05: can be shorter than the idle timeout", async () => {
      const { browser } = await startSignedIn({ absoluteMaxAge: 8 * HOUR, updateAge: HOUR })
      expect(kept(browser)).toBe(at(8 * HOUR))
      const cookie = browser.cookie(NAME) ?? ""
      expect(await useEvery(HOUR, 8 * HOUR, { browser, time })).toHaveLength(7)
      time.now = at(8 * HOUR) + 1000
      browser.setCookie(NAME, cookie)
      expect(await read(browser)).toBeNull()
    })
  })
})

describeServers("absolute timeout with an adapter for Auth.js", (start) => {
  async function startSignedIn(session: SessionOptions = QUARTER) {
    const time = { now: BEGIN }
    const store = memoryStore()
    store.users.set("7", { id: "7", name: "ada", email: "a@x.test", emailVerified: null })
    const writes: unknown[] = []
    const adapter = {
      ...store.adapter,
      updateSession(change: Parameters<NonNullable<typeof store.adapter.updateSession>>[0]) {
        writes.push(change)
        return store.adapter.updateSession?.(change) ?? null
      },
    }
    const config = configOf({ adapter, clock: () => time.now, session })
    const app = await start(config)
    const browser = app.browser({ now: () => time.now })
    await signIn(browser)
    const [row] = [...store.sessions.values()]
    return { app, browser, time, store, writes, row }
  }

  it("SES-05: ends the session even if it is used", async () => {
    const { browser, time, store } = await startSignedIn()
    expect(await useEvery(29 * DAY, 90 * DAY, { browser, time })).toEqual([29 * DAY, 58 * DAY, 87 * DAY])
    const cookie = browser.cookie(NAME) ?? ""
    time.now = at(90 * DAY) + 1
    browser.setCookie(NAME, cookie)
    expect([await read(browser), browser.cookie(NAME), store.sessions.size]).toEqual([null, undefined, 0])
  })

  it("SES-05: accepts only the whole token, with its start time", async () => {
    const { app, time, browser } = await startSignedIn({ absoluteMaxAge: 8 * HOUR })
    const [random = "", start = ""] = (browser.cookie(NAME) ?? "").split(".")
    expect([random.length, Number.parseInt(start, 36)]).toEqual([43, BEGIN / 1000])
    time.now = at(HOUR)
    const later = Math.floor(at(2 * HOUR) / 1000).toString(36)
    for (const token of [
      random,
      `${random}.`,
      `${random}.${later}`,
      `${random}.${start}0`,
      `${random}.${start}.${later}`,
    ]) {
      const thief = app.browser({ now: () => time.now })
      thief.setCookie(NAME, token)
      expect([token, await read(thief)]).toEqual([token, null])
    }
    expect(await read(browser)).not.toBeNull()
  })

  it("SES-05: applies even if another application extends the row", async () => {
    const { browser, time, store, row } = await startSignedIn({ absoluteMaxAge: 8 * HOUR })
    if (!row) throw new Error("there is no session")
    store.sessions.set(row.sessionToken, { ...row, expires: new Date(at(30 * DAY)) })
    time.now = at(7 * HOUR)
    expect((await read(browser)).expires).toBe(new Date(at(8 * HOUR)).toISOString())
    time.now = at(8 * HOUR) + 1
    browser.setCookie(NAME, row.sessionToken)
    expect(await read(browser)).toBeNull()
  })

  it("SES-05, SES-07: does not write at each read if the session cannot be extended further", async () => {
    const { browser, time, writes } = await startSignedIn({ absoluteMaxAge: 40 * DAY })
    for (const day of [20, 39, 39.1, 39.2, 39.3]) {
      time.now = at(day * DAY)
      expect([day, await read(browser)]).not.toEqual([day, null])
    }
    expect(writes).toEqual([expect.objectContaining({ expires: new Date(at(40 * DAY)) })])
  })

  it("SES-05: does not extend a session that is older than the option", async () => {
    const { app, time, store, writes } = await startSignedIn()
    // As Auth.js creates it; it was last used ten days ago.
    const row = { sessionToken: "5c7f4f2e-8a39-4d5e-9a3b-3f0c9be31b6e", userId: "7", expires: new Date(at(20 * DAY)) }
    store.sessions.set(row.sessionToken, row)
    const browser = app.browser({ now: () => time.now })
    browser.setCookie(NAME, row.sessionToken)
    time.now = at(19 * DAY)
    expect((await read(browser)).expires).toBe(row.expires.toISOString())
    time.now = at(20 * DAY) + 1
    browser.setCookie(NAME, row.sessionToken)
    expect([await read(browser), writes]).toEqual([null, []])
  })

  it("SES-05: counts from the last use if the session is older than the option", async () => {
    const { app, time, store } = await startSignedIn({ absoluteMaxAge: 8 * HOUR })
    const browser = app.browser({ now: () => time.now })
    const used = (secondsAgo: number) => new Date(at(30 * DAY - secondsAgo))
    for (const [token, expires, isValid] of [
      ["used an hour ago, in the middle of the day", used(HOUR), true],
      ["used nine hours ago, before all of this", used(9 * HOUR), false],
      ["an application's own that ends like ours.zzzzzz", used(HOUR), true],
    ] as const) {
      store.sessions.set(token, { sessionToken: token, userId: "7", expires })
      browser.setCookie(NAME, encodeURIComponent(token))
      expect([token, (await read(browser)) !== null]).toEqual([token, isValid])
    }
  })
})
