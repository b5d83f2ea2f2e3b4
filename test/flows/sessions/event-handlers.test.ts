/**
 * SES-32: event handlers that fail, hang or return unusual values.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { endSessions, getSession } from "../../../lib/index.js"
import type { AuthConfig, EventsOptions } from "../../../lib/types.js"
import { configOf, people, signIn } from "../../express/support/servers.js"
import { type AppRequest, describeServers, recordingLogger, shapesOn, type TestApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore, ownMethods } from "../support/memory-adapter.js"

guardProcess()

const ADA = { user: { name: "ada" } }
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

/** An error whose properties cannot be read. */
const unreadable = new Proxy(new Error("unreadable"), {
  get() {
    throw new Error("a property was read")
  },
  getPrototypeOf() {
    throw new Error("the prototype was read")
  },
})

/** An object that `await` treats as a promise. */
const thenable = (then: unknown): object => ({
  then,
})

const FAILING: [string, () => unknown][] = [
  ["throws a string", () => throwing("text")],
  ["throws an error", () => throwing(new Error("the bus is down"))],
  ["rejects with an error", () => Promise.reject(new Error("the bus is down"))],
  ["throws null", () => throwing(null)],
  ["throws a number", () => throwing(0)],
  ["throws a symbol", () => throwing(Symbol("x"))],
  ["throws an object without a prototype", () => throwing(Object.create(null))],
  ["throws an unreadable error", () => throwing(unreadable)],
  ["throws a frozen error", () => throwing(Object.freeze(new Error("frozen")))],
  ["rejects with nothing", () => Promise.reject()],
  ["rejects with an unreadable error", () => Promise.reject(unreadable)],
  ["returns a thenable that rejects", () => thenable((_: unknown, reject: (error: unknown) => void) => reject("late"))],
  ["returns a thenable that throws", () => thenable(() => throwing("at once"))],
  [
    "returns an object whose then getter throws",
    () =>
      // biome-ignore lint/suspicious/noThenProperty: the test needs an unusual thenable
      Object.defineProperty({}, "then", {
        get() {
          throw new Error("no then")
        },
      }),
  ],
]

const QUIET: [string, () => unknown][] = [
  ["returns a string", () => "done"],
  ["returns a function", () => () => throwing("never called")],
  ["returns null", () => null],
  ["returns an object whose then is not a function", () => thenable(1)],
  [
    "returns a thenable that resolves without a value",
    () => thenable((resolve: () => void) => void setImmediate(resolve)),
  ],
  [
    "returns a thenable that settles twice",
    () =>
      thenable((resolve: () => void, reject: (error: unknown) => void) => {
        resolve()
        reject(new Error("too late"))
      }),
  ],
]

function throwing(value: unknown): never {
  throw value
}

describeServers("event handler", (start, stage) => {
  const rows = shapesOn(stage)
  const KINDS = ["an encrypted cookie", "a database"] as const

  /** Starts an application with the same handler for every event. */
  async function startWith(kind: (typeof KINDS)[number], handler: () => unknown) {
    const { logger, records } = recordingLogger()
    const store = memoryStore()
    store.users.set("7", { id: "7", name: "ada", email: "a@x.test", emailVerified: null })
    const names = ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"]
    const events = Object.fromEntries(names.map((name) => [name, handler])) as EventsOptions
    const own = kind === "a database" ? { adapter: { ...store.adapter, ...ownMethods(store) } } : {}
    const app = await start(configOf({ ...own, events, logger, providers: [people()] }))
    return { app, codes: () => records.splice(0).map(({ code }) => code), store }
  }

  describe.each(KINDS)("with the session in %s", (kind) => {
    it.each(rows(FAILING))(
      "SES-32: that %s does not affect the request and is logged each time",
      async (_, handler) => {
        const { app, codes, store } = await startWith(kind, handler)
        const browser = app.browser()
        expect((await signIn(browser)).location).toBe(`${app.origin}/`)
        expect(codes()).toEqual(["EventError"])
        for (const path of ["/auth/session", "/me"]) {
          expect(await read(browser, path)).toMatchObject(ADA)
          expect(codes()).toEqual(["EventError"])
        }
        const out = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
        expect([out.status, out.location, await read(browser), store.sessions.size]).toEqual([
          302,
          app.origin + new URL(out.location).pathname,
          null,
          0,
        ])
        expect(out.location).not.toContain("error")
        expect(codes()).toEqual(["EventError"])
      },
    )

    it.each(rows(QUIET))("SES-32: that %s is not logged as a failure", async (_, handler) => {
      const { app, codes } = await startWith(kind, handler)
      const browser = app.browser()
      await signIn(browser)
      for (const path of ["/auth/session", "/me"]) expect(await read(browser, path)).toMatchObject(ADA)
      await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
      expect([await read(browser), codes()]).toEqual([null, []])
    })
  })

  it("SES-32: that never settles times out, and the request succeeds", async () => {
    const log = recordingLogger()
    let called = () => {}
    const notified = new Promise<void>((resolve) => {
      called = resolve
    })
    const session = () => {
      called()
      return new Promise<void>(() => {})
    }
    const { browser: newBrowser } = await start(configOf({ logger: log.logger, events: { session } }))
    const browser = newBrowser()
    await signIn(browser)
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    try {
      const body = read(browser)
      await notified
      await jest.advanceTimersByTimeAsync(10_000)
      expect(await body).toMatchObject({ user: { name: "ada" } })
    } finally {
      jest.useRealTimers()
    }
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "EventError" }])
  })

  it("SES-32: that rejects after its timeout is not logged again and does not crash the process", async () => {
    let fail = () => {}
    const handler = () =>
      new Promise<void>((_, reject) => {
        fail = () => reject(new Error("much later"))
      })
    const { app, codes } = await startWith("an encrypted cookie", handler)
    const browser = app.browser()
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    try {
      const csrfToken = await browser.csrf()
      let isOver = false
      const page = browser
        .post("/auth/callback/credentials", { csrfToken, username: "ada", password: "right" })
        .finally(() => {
          isOver = true
        })
      while (!isOver) await jest.advanceTimersByTimeAsync(1_000)
      expect((await page).location).toBe(`${app.origin}/`)
    } finally {
      jest.useRealTimers()
    }
    expect(codes()).toEqual(["EventError"])
    fail()
    await new Promise((resolve) => setImmediate(resolve))
    expect(codes()).toEqual([])
  })

  it("SES-32: that revokes and reads sessions does not cause a deadlock", async () => {
    const store = memoryStore()
    store.users.set("7", { id: "7", name: "ada", email: "a@x.test", emailVerified: null })
    const { logger, records } = recordingLogger()
    const results: unknown[] = []
    const config: AuthConfig = configOf({
      adapter: { ...store.adapter, ...ownMethods(store) },
      logger,
      events: {
        async signOut() {
          results.push(store.sessions.size)
          await endSessions(config, "7")
          const headers = { cookie: `authjs.session-token=${[...store.sessions.keys()][0] ?? "none"}` }
          results.push(await getSession(new Request("http://app.test/", { headers }), config))
        },
      },
    })
    const app = await start(config)
    const [here, there] = [app.browser(), app.browser()]
    await signIn(here)
    await signIn(there)
    await here.post("/auth/signout", { csrfToken: await here.csrf() })
    expect([results, store.sessions.size, await read(there)]).toEqual([[1, null], 0, null])
    expect(records.filter(({ level }) => level === "error")).toEqual([])
  })

  if (stage === "Auth()") return

  it("SES-32: that reads the session it is notified of times out, and the request succeeds", async () => {
    const requests = new AsyncLocalStorage<AppRequest>()
    const { logger, records } = recordingLogger()
    const session = async () => void (await requests.getStore()?.getSession())
    const setup = (app: TestApp) => void app.use((req, _res, next) => requests.run(req, next))
    const app = await start(configOf({ logger, events: { session } }), { setup })
    const browser = app.browser()
    await signIn(browser)
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
    try {
      let isOver = false
      const body = read(browser, "/me").finally(() => {
        isOver = true
      })
      while (!isOver) await jest.advanceTimersByTimeAsync(1_000)
      expect(await body).toMatchObject(ADA)
    } finally {
      jest.useRealTimers()
    }
    expect(records.filter(({ level }) => level === "error")).toMatchObject([{ code: "EventError" }])
  })
})
