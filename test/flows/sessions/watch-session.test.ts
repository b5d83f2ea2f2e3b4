/** watchSession: connections that stay open are closed when their session ends. */
import { EventEmitter } from "node:events"
import { createServer, get, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocket, WebSocketServer } from "ws"
import { endSessions, listSessions, watchSession } from "../../../lib/index.js"
import { createLogger } from "../../../lib/logging/logger.js"
import { createEndedFeed } from "../../../lib/sessions/ended-feed.js"
import { createWatchers } from "../../../lib/sessions/watchers.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig, Store } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const DAY = 24 * 60 * 60 * 1000

describeServer("watchSession", "Express 5", (start) => {
  const servers: Server[] = []
  const clients: WebSocket[] = []
  afterEach(() => {
    for (const client of clients.splice(0)) client.terminate()
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function listen(server: Server): Promise<number> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return (server.address() as AddressInfo).port
  }

  /** Starts a site, and a WebSocket server with a runtime of its own, like another process. */
  async function startSockets(over: Partial<AuthConfig> = {}) {
    const time = { now: Date.now() }
    const store = MemoryStore({ now: () => time.now })
    const { logger, records } = recordingLogger()
    const config = configOf({ store, logger, clock: () => time.now, ...over })
    const app = await start(config)
    const otherConfig = { ...config }
    const port = await listen(createServer())
    const sockets = new WebSocketServer({ server: servers.at(-1) as Server })
    const refused: unknown[] = []
    sockets.on("connection", async (ws, req) => {
      const session = await watchSession(req, otherConfig, { until: ws, onEnd: () => ws.close(4001) })
      if (session) return ws.send(session.user?.name ?? "")
      refused.push(req.headers.origin)
      ws.close(4003)
    })
    const signInUser = async () => {
      const browser = app.browser({ now: () => time.now })
      await signIn(browser)
      return browser
    }
    const connect = async (browser: Browser, headers: Record<string, string> = {}) => {
      const cookie = browser
        .cookies()
        .map(({ name, value }) => `${name}=${value}`)
        .join("; ")
      const ws = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { cookie, ...headers } })
      clients.push(ws)
      const socket = { code: 0, name: "" }
      ws.on("message", (text) => (socket.name = String(text)))
      ws.on("close", (code) => (socket.code = code))
      await until(() => socket.name || socket.code)
      return socket
    }
    return { app, config, connect, signInUser, store, time, refused, records }
  }

  it("closes the WebSockets of a session within a second after the sign-out, and keeps the others", async () => {
    const { connect, signInUser } = await startSockets()
    const [browser, other] = [await signInUser(), await signInUser()]
    const [one, two, kept] = [await connect(browser), await connect(browser), await connect(other)]
    expect([one.name, kept.name]).toEqual(["ada", "ada"])
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    await until(() => one.code === 4001 && two.code === 4001, 1_500)
    expect(kept.code).toBe(0)
  })

  it("closes WebSockets when all sessions of the user end, and when the session expires", async () => {
    const { config, connect, signInUser, time } = await startSockets()
    const socket = await connect(await signInUser())
    await endSessions(config, "7")
    await until(() => socket.code === 4001, 1_500)
    const browser = await signInUser()
    const idle = await connect(browser)
    time.now += 29 * DAY
    await browser.get("/me")
    time.now += 20 * DAY
    // The session was used in between, so it has not expired.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    expect(idle.code).toBe(0)
    time.now += 20 * DAY
    await until(() => idle.code === 4001, 1_500)
  })

  it("does not extend the session, because it can't renew the browser's cookie", async () => {
    const { config, connect, signInUser, time } = await startSockets()
    const browser = await signInUser()
    const expiry = async () => (await listSessions(config, "7")).map(({ expires }) => expires.getTime())
    const [end = 0] = await expiry()
    time.now += 29 * DAY
    const socket = await connect(browser)
    expect([socket.name, await expiry()]).toEqual(["ada", [end]])
    time.now = end + 15 * 60_000
    await until(() => socket.code === 4001, 1_500)
  })

  it("refuses connections without a session, and connections from pages of another origin", async () => {
    const { app, connect, signInUser, refused } = await startSockets()
    expect((await connect(app.browser())).code).toBe(4003)
    const browser = await signInUser()
    for (const origin of ["https://evil.example", "null", "https://127.0.0.1.evil.example"])
      expect((await connect(browser, { origin })).code).toBe(4003)
    expect(refused).toHaveLength(4)
    const { host } = new URL(app.origin)
    expect((await connect(browser, { origin: `http://${host}`, host })).name).toBe("ada")
  })

  it("compares the origin with the host regardless of case and default port", async () => {
    const { connect, signInUser } = await startSockets()
    const browser = await signInUser()
    const nameFor = async (origin: string, host: string) => (await connect(browser, { origin, host })).name
    for (const host of ["app.test", "APP.test", "app.test:443"])
      expect([host, await nameFor("https://app.test", host)]).toEqual([host, "ada"])
    for (const host of ["app.test:80", "app.test:8443", "app.test@evil.example", ""])
      expect([host, await nameFor("https://app.test", host)]).toEqual([host, ""])
  })

  it("ends server-sent events, and stops watching when the client has disconnected", async () => {
    const { config, signInUser } = await startSockets()
    const ended: string[] = []
    const server = createServer(async (req, res) => {
      const onEnd = () => {
        ended.push(String(req.url))
        res.end()
      }
      await watchSession(req, config, { until: res, onEnd })
      res.write("data: hello\n\n")
    })
    const port = await listen(server)
    const browser = await signInUser()
    const cookie = browser
      .cookies()
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
    const open = (path: string) =>
      new Promise<IncomingMessage>((resolve) =>
        get({ port, path, headers: { cookie } }, (res) => res.once("data", () => resolve(res))),
      )
    const [one, two] = [await open("/one"), await open("/two")]
    two.destroy()
    await until(() => two.destroyed)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    await until(() => one.readableEnded || one.complete, 1_500)
    expect(ended).toEqual(["/one"])
  })

  it("does not watch a connection that closed before the call or closes during the call", async () => {
    const { app, config, signInUser } = await startSockets()
    const headers = { cookie: (await signInUser()).cookieHeader(), host: new URL(app.origin).host }
    const connection = (state: object) => Object.assign(new EventEmitter(), state)
    const conn = connection({ readyState: "open" })
    const connections: Readonly<Record<string, EventEmitter>> = {
      "an open WebSocket": connection({ readyState: 1 }),
      "a connection of Socket.IO that is not accepted yet": connection({ conn: connection({ readyState: "open" }) }),
      "an ended response": connection({ writableEnded: true }),
      "a destroyed socket": connection({ destroyed: true }),
      "a closed WebSocket": connection({ readyState: 3 }),
      "a closed connection of Socket.IO": connection({ conn: connection({ readyState: "closed" }) }),
      "a connection of Socket.IO that closes meanwhile": connection({ conn }),
    }
    const ended: string[] = []
    const watching = Object.entries(connections).map(([name, until]) =>
      watchSession({ headers } as IncomingMessage, config, { until, onEnd: () => ended.push(name) }),
    )
    conn.emit("close")
    expect((await Promise.all(watching)).map((session) => session?.user?.name)).toEqual(watching.map(() => "ada"))
    await endSessions(config, "7")
    await until(() => ended.length > 1, 1_500)
    expect(ended).toEqual(Object.keys(connections).slice(0, 2))
  })

  it("throws without `until` or without `onEnd`", async () => {
    const { config } = await startSockets()
    const message =
      "watchSession needs the connection `until` and the function `onEnd`. Write { until: ws, onEnd: () => ws.close() }"
    const ws = new EventEmitter()
    for (const options of [undefined, {}, { until: ws }, { until: {}, onEnd: () => {} }, { onEnd: () => {} }]) {
      const watching = watchSession({ headers: {} } as IncomingMessage, config, options as never)
      await expect(watching).rejects.toEqual(new TypeError(message))
    }
  })

  it("throws without a store", async () => {
    const until = { once: () => until as never }
    const watching = watchSession({} as IncomingMessage, configOf(), { until, onEnd: () => {} })
    await expect(watching).rejects.toThrow(/watchSession needs .*store: RedisStore/)
  })
})

describe("10,000 watched sessions", () => {
  it("share one list of the store twice a second, and read no record", async () => {
    const calls: string[] = []
    const store = MemoryStore()
    const counted: Store = {
      ...store,
      list(...args) {
        calls.push("list")
        return store.list(...args)
      },
    }
    const { logger, records } = recordingLogger()
    const find = async (id: string): Promise<undefined> => {
      calls.push(`find ${id}`)
    }
    const feed = createEndedFeed(counted)
    const watchers = createWatchers({ feed, find, logger: createLogger({ logger }), now: Date.now })
    const ended: number[] = []
    const stops = Array.from({ length: 10_000 }, (_, i) =>
      watchers.add({ id: `session-${i}`, owner: `user ${i}`, expires: Date.now() + DAY }, () => ended.push(i)),
    )
    await until(() => calls.length >= 4)
    expect(new Set(calls)).toEqual(new Set(["list"]))
    await feed.add({ session: "session-77" })
    await until(() => ended.length > 0, 1_500)
    expect([ended, calls.filter((call) => call.startsWith("find"))]).toEqual([[77], ["find session-77"]])
    for (const stop of stops) stop()
    const count = calls.length
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    expect([calls.length, records]).toEqual([count, []])
  })
})
